/** Creates templates. */
import { errorCode, inTransaction, type Pool, UNIQUE_VIOLATION } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import { ApiError } from "~/errors";
import { linesOf } from "~/input/shape";
import { TEMPLATE_NAME } from "~/platform/templates/model";
import { dataError } from "~/platform/templates/seed-store";
import { opensAt } from "~/platform/templates/seeds";
import * as store from "~/platform/templates/store";
import { SeedError } from "~/replicas/kit/seed-mistakes";
import { createFairSemaphore } from "~/semaphore";
import { type NewId, randomId } from "~/source";

const NAME = new RegExp(TEMPLATE_NAME);
export const nameTaken = () =>
  new ApiError("template_name_exists", "There is a template of that name already");

/** A new template without its schema. */
export type Draft = {
  readonly name: string;
  readonly service: string;
  readonly services: readonly string[];
  readonly description?: string | undefined;
  readonly visibility?: "public" | "private" | undefined;
};

export function createCreation(pool: Pool, builders: Builders, newId: NewId) {
  /** Creations of one name by one user follow each other: all but the first would build a schema for nothing. */
  const inTurn = createFairSemaphore({ limit: Number.POSITIVE_INFINITY });

  async function buildAndName(
    userId: string,
    { name, service, services, description = "", visibility = "private" }: Draft,
    seed: object | undefined,
    build: (schema: string) => Promise<void>,
  ) {
    const templateId = newId();
    const schemaName = `tpl_${randomId()}`;
    // Built first and named afterwards: if this server dies in between, maintenance drops the orphan.
    try {
      await build(schemaName);
      await inTransaction(pool, async (tx) => {
        await store.lockName(tx, name);
        if (await store.nameExists(tx, userId, name)) throw nameTaken();
        const template = {
          templateId,
          name,
          service,
          services,
          description,
          visibility,
          userId,
          schemaName,
          opensAt: seed === undefined ? null : opensAt(seed),
        };
        await store.insert(tx, template, seed);
      });
    } catch (error) {
      await dropSchema(builders.sql, schemaName);
      throw refusal(error);
    }
    return { templateId, name, location: schemaName, service, services: [...services], visibility };
  }

  return async function create(
    userId: string,
    draft: Draft,
    seed: object | undefined,
    build: (schema: string) => Promise<void>,
  ) {
    const { name } = draft;
    if (!NAME.test(name))
      throw new ApiError(
        "invalid_template_name",
        "A name has up to 63 lower-case letters, digits and _, and begins with a letter",
      );
    return await inTurn(`${userId} ${name}`, async () => {
      if (await store.nameExists(pool, userId, name)) throw nameTaken();
      return await buildAndName(userId, draft, seed, build);
    });
  };
}

/** Explains why a template could not be created, if the caller can fix it. */
export function refusal(error: unknown): unknown {
  if (
    errorCode(error) === UNIQUE_VIOLATION &&
    (error as { schema_name?: string }).schema_name === "diorama"
  )
    return nameTaken();
  const mistake = error instanceof SeedError ? error : dataError(error, "");
  if (!mistake) return error;
  const lines = mistake.mistakes.map(({ path, problem }) => `seed: ${path}: ${problem}`);
  return new ApiError("invalid_request", linesOf(lines));
}
