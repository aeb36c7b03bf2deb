/** The templates of `seeds/`: built once for each content, on whichever server comes first. */

import { inTransaction, type Pool, quote } from "~/db/connect";
import { contentHash, dropSchema } from "~/db/schemas";
import { tablesOf } from "~/db/session";
import type { Log } from "~/log";
import * as store from "~/platform/templates/store";
import { requireReplica } from "~/platform/templates/templates";
import { SEEDS } from "../../../seeds/index";

export type Seed = {
  readonly template: string;
  readonly service: string;
  readonly description: string;
  /** Another seed of the same service that this one adds to. */
  readonly extends?: string;
};

/** What a template is made of; a change here builds every template anew. */
const FORMAT = "1";
const LOCK = "diorama seed ";

/** A seed with the lists of the seed it extends in front of its own. */
export function resolveSeed(seed: Seed, seeds: readonly Seed[]): Seed {
  if (seed.extends === undefined) return seed;
  const base = seeds.find(({ template }) => template === seed.extends);
  if (!base || base.extends !== undefined || base.service !== seed.service)
    throw new Error(`${seed.template} extends ${seed.extends}, which is not a seed to build on`);
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(seed)) {
    const below = merged[name];
    merged[name] = Array.isArray(value) && Array.isArray(below) ? [...below, ...value] : value;
  }
  return merged as Seed;
}

/** Builds what is missing or has changed. Returns the names of the templates that were built. */
export async function buildBuiltins(pool: Pool, builders: Pool, log: Log): Promise<string[]> {
  const seeds = SEEDS as readonly Seed[];
  const built: string[] = [];
  for (const raw of seeds) {
    const seed = resolveSeed(raw, seeds);
    const replica = requireReplica(seed.service);
    const hash = contentHash(FORMAT, replica.tables, JSON.stringify(seed));
    if ((await store.findBuiltin(pool, seed.template))?.contentHash === hash) continue;

    const schema = `tpl_${crypto.randomUUID().replaceAll("-", "")}`;
    const previous = await inTransaction(builders, async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${LOCK + seed.template}))`;
      const [known] = await tx`
        select content_hash = ${hash} as current from diorama.templates
        where name = ${seed.template} and user_id is null
      `;
      if (known?.["current"] === true) return undefined;
      await tx.unsafe(
        `create schema ${quote(schema)}; set local search_path to ${quote(schema)}; ${replica.tables}; set local search_path to ''`,
      );
      const names = await tx<{ name: string }[]>`
        select relname as name from pg_class where relnamespace = ${schema}::regnamespace and relkind = 'r'
      `;
      await replica.seed(tx, tablesOf(tx, schema, names), seed);
      return { schema: await putBuiltin(tx, seed, schema, hash) };
    });
    if (!previous) continue;
    if (previous.schema) await dropSchema(builders, previous.schema);
    log.info("template built", { template: seed.template, schema });
    built.push(seed.template);
  }
  return built;
}

const putBuiltin = (
  tx: Parameters<typeof store.putBuiltin>[0],
  seed: Seed,
  schemaName: string,
  hash: string,
) =>
  store.putBuiltin(tx, {
    templateId: crypto.randomUUID().replaceAll("-", ""),
    name: seed.template,
    service: seed.service,
    description: seed.description,
    schemaName,
    contentHash: hash,
  });
