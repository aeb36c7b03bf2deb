/** The templates of `seeds/`: built once per content, by the first server. */
import { contentHash } from "~/db/blueprint";
import type { Pool } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { dropSchema } from "~/db/schemas";
import type { Log } from "~/log";
import { importSeed } from "~/platform/templates/seed-store";
import { opensAt, resolveSeed, type Seed, seedModel } from "~/platform/templates/seeds";
import * as store from "~/platform/templates/store";
import { randomId } from "~/source";
import { SEEDS } from "../../../seeds/index";

/** Hashes everything that a template is built from; a change rebuilds it. */
const FORMAT = "2";
const LOCK = "diorama seed ";

export const BUILTIN_TEMPLATES = (SEEDS as readonly Seed[]).map(({ template }) => template);

/** Builds templates that are missing or have changed. Returns their names. */
export async function buildBuiltins(pool: Pool, builders: Builders, log: Log): Promise<string[]> {
  const seeds = SEEDS as readonly Seed[];
  const built: string[] = [];
  for (const raw of seeds) {
    const seed = resolveSeed(raw, seeds);
    const model = seedModel(seed);
    const hash = contentHash(FORMAT, model.tables, JSON.stringify(seed));
    if ((await store.findBuiltin(pool, seed.template))?.contentHash === hash) continue;

    const schema = `tpl_${randomId()}`;
    const previous = await builders.transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext(${LOCK + seed.template}))`;
      const [known] = await tx`
        select content_hash = ${hash} as current from diorama.templates
        where name = ${seed.template} and user_id is null
      `;
      if (known?.["current"] === true) return undefined;
      await importSeed(tx, model, schema, seed);
      return { schema: await putBuiltin(tx, seed, schema, hash) };
    });
    if (!previous) continue;
    if (previous.schema) await dropSchema(builders.sql, previous.schema);
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
  store.putBuiltin(
    tx,
    {
      templateId: randomId(),
      name: seed.template,
      service: seed.service,
      services: seedModel(seed).services,
      description: seed.description,
      schemaName,
      contentHash: hash,
      opensAt: opensAt(seed),
    },
    { ...seed, extends: undefined },
  );
