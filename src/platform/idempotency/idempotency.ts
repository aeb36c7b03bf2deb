/**
 * `Idempotency-Key`: a call that is sent again because its answer was lost has its effect once.
 *
 * The key is taken, and the answer is stored, in the transaction of the effect: after any crash, both exist or neither.
 * Of two concurrent calls, on any servers, the second waits for the first. Rejected calls have no side effects, so
 * their key is free again.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { errorCode, type Pool, SERIALIZATION_FAILURE, type Sql } from "~/db/connect";
import { ApiError } from "~/errors";
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from "~/http/model";
import { principalOf } from "~/http/principal";
import * as store from "~/platform/idempotency/store";

export type Idempotency = ReturnType<typeof createIdempotency>;

/** The idempotency key of a call, for the transaction that has its effect. */
export type Once = {
  /**
   * Takes the key; call it first. If an earlier call had the effect, throws Repeated, which rolls the transaction back.
   */
  take(sql: Sql): Promise<void>;
  /** Stores the answer, once there is an effect. */
  keep(sql: Sql, answer: object): Promise<void>;
  /** Releases the key if the transaction commits without an effect. */
  giveBack(sql: Sql): Promise<void>;
};

const HEADER = "idempotency-key";
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

class Repeated extends Error {
  override readonly name = "Repeated";
  readonly kept: store.Kept;
  constructor(kept: store.Kept) {
    super("the call has had its effect before");
    this.kept = kept;
  }
}

export function createIdempotency(pool: Pool) {
  return {
    /**
     * Returns the answer of `work`, or the answer to the same call before. `work` gets a `Once` for its effect, or none
     * if the caller sent no key.
     */
    async answerOnce<T extends object>(
      { request, body, set }: { request: Request; body: object; set: { headers: object } },
      work: (once?: Once) => Promise<T>,
    ): Promise<T> {
      const key = request.headers.get(HEADER);
      if (key === null) return await work();
      if (!KEY.test(key))
        throw new ApiError("invalid_request", `Idempotency-Key: ${IDEMPOTENCY_KEY}`);
      const slip = {
        userId: principalOf(request).userId,
        keyHash: sha256("key", key),
        requestHash: sha256(new URL(request.url).pathname, JSON.stringify(sorted(body))),
      };
      const repeat = ({ requestHash, answer }: store.Kept): T => {
        if (!requestHash.equals(slip.requestHash))
          throw new ApiError("invalid_request", "Idempotency-Key: was sent with another call");
        Object.assign(set.headers, { "Idempotent-Replayed": "true" });
        return JSON.parse(unseal(answer, key));
      };
      const known = await store.findAnswer(pool, slip, store.RETENTION_HOURS);
      if (known) return repeat(known);

      let isDone = false;
      const once: Once = {
        async take(sql) {
          if (await store.take(sql, slip, store.RETENTION_HOURS)) return;
          const kept = await store.findAnswer(sql, slip, store.RETENTION_HOURS);
          if (!kept) throw new Error("an idempotency key is taken and has no answer");
          throw new Repeated(kept);
        },
        async keep(sql, answer) {
          await store.keep(sql, slip, seal(JSON.stringify(answer), key));
          isDone = true;
        },
        async giveBack(sql) {
          await store.giveBack(sql, slip);
          isDone = false;
        },
      };
      try {
        return await work(once);
      } catch (error) {
        if (error instanceof Repeated) return repeat(error.kept);
        // A repeatable-read transaction cannot see the call that took the key meanwhile, only that it is taken.
        const kept =
          errorCode(error) === SERIALIZATION_FAILURE
            ? await store.findAnswer(pool, slip, store.RETENTION_HOURS)
            : undefined;
        if (kept) return repeat(kept);
        // Rejected after its effect was rolled back. Any other error may have come after the commit.
        if (isDone && error instanceof ApiError) await store.giveBack(pool, slip);
        throw error;
      }
    },
  };
}

const sha256 = (...parts: readonly string[]) =>
  createHash("sha256").update(parts.join("\u0000")).digest();

/** Sorts the fields: another order is the same call. The bodies of these calls are flat. */
const sorted = (body: object) => Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Encrypts an answer, which may contain an environment's token, so that only the key's owner can read it. */
function seal(text: string, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sha256("answer", key), nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function unseal(answer: Buffer, key: string): string {
  const text = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, sha256("answer", key), answer.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(answer.subarray(NONCE_BYTES, text));
  return Buffer.concat([decipher.update(answer.subarray(text)), decipher.final()]).toString("utf8");
}
