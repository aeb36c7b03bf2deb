/**
 * Validates keys with a control plane: `POST {url}/validate {api_key}` → `{valid, user_id}`. Fails closed, never with
 * 401.
 */
import { LRUCache } from "lru-cache";
import { LimitExceeded, USAGE_LIMITS, unavailable, usageLimitMessage } from "~/errors";
import { errorFields, type Log } from "~/log";
import type { Metrics } from "~/metrics";
import { hashCredential } from "~/platform/keys/format";
import type { Principal } from "~/principal";

/** `undefined`: the key is not valid. */
type Verdict = Principal | LimitExceeded | undefined;

const TIMEOUT_MS = 5_000;
const ACCEPTED_MS = 60_000;
const REFUSED_MS = 5_000;
const BODY_MAX = 16 * 1024;
const CACHE_MAX = 10_000;

export function createControlPlane(url: string, log: Log, metrics: Metrics) {
  const verdicts = new LRUCache<string, { verdict: Verdict }>({ max: CACHE_MAX });
  const underWay = new Map<string, Promise<Verdict>>();

  async function ask(key: string, id: string): Promise<Verdict> {
    try {
      const response = await fetch(`${url}/validate`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ api_key: key }),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`the control plane answered ${response.status}`);
      const verdict = readVerdict(JSON.parse(await readCapped(response)), id);
      metrics.controlPlane.inc({ result: isAccepted(verdict) ? "accepted" : "refused" });
      return verdict;
    } catch (error) {
      metrics.controlPlane.inc({ result: "failed" });
      log.warn("control plane failed", errorFields(error));
      throw unavailable("Keys cannot be validated at the moment");
    }
  }

  return {
    async validate(key: string): Promise<Verdict> {
      const id = hashCredential(key).toString("hex").slice(0, 32);
      const known = verdicts.get(id);
      if (known) return known.verdict;
      let asked = underWay.get(id);
      if (!asked) {
        asked = ask(key, id).finally(() => underWay.delete(id));
        underWay.set(id, asked);
      }
      const verdict = await asked;
      verdicts.set(id, { verdict }, { ttl: isAccepted(verdict) ? ACCEPTED_MS : REFUSED_MS });
      return verdict;
    },
  };
}

const isAccepted = (verdict: Verdict) =>
  verdict !== undefined && !(verdict instanceof LimitExceeded);

async function readCapped(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BODY_MAX) throw new Error("the control plane's answer is too long");
  }
  return text;
}

/** Recognizes our own limits by our words for them. */
const limitOf = (reason: string) =>
  USAGE_LIMITS.find((limit) => usageLimitMessage(limit) === reason);

function readVerdict(body: unknown, id: string): Verdict {
  const answer = (body ?? {}) as Record<string, unknown>;
  const { valid, user_id: userId, reason, limit, current } = answer;
  if (valid === true && typeof userId === "string" && userId !== "")
    return { userId, keyId: id, plan: "enterprise" };
  if (valid !== false) throw new Error("the control plane's answer is malformed");
  if (typeof reason === "string" && typeof limit === "number" && typeof current === "number")
    return new LimitExceeded(limitOf(reason) ?? { other: reason }, limit, current);
  return undefined;
}
