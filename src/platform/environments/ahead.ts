/**
 * Plans statements ahead, in the schemas that environments will get next.
 *
 * Postgres parses and plans each statement for each schema, and loads the tables with all their indexes: most of the
 * time of a first call. In moments without calls, each server does this for a few ready schemas of the templates that it
 * gave away lately, with the statements that environments have in common. New environments get these schemas first.
 */
import { LRUCache } from "lru-cache";
import { isUnavailable, type Pool, type Sql } from "~/db/connect";
import type { SessionPool } from "~/db/session-pool";
import { errorFields, type Log } from "~/log";
import * as schemas from "~/platform/environments/schemas-store";
import type { Templates } from "~/platform/templates/templates";

export type Ahead = ReturnType<typeof createAhead>;

/** A backend needs 1 to 2 MB for the plans of a schema. */
const SCHEMAS_MAX = 32;
const TEMPLATES_MAX = 4;
/** A template that was not used for this long is forgotten. */
const RECENT_MS = 600_000;
const LOOK_MS = 1_000;
/** Pause after planning, as a multiple of its duration: schemas that are built later undo it. */
const REST = 10;

/** Where the plans of a schema are, and since which builds. */
type Planned = {
  readonly template: string;
  readonly session: { readonly lost: boolean };
  readonly builds: string;
};

export function createAhead(deps: {
  pool: Pool;
  sessionPool: Pick<SessionPool, "plan">;
  templates: Pick<Templates, "blueprint">;
  log: Log;
}) {
  const { pool, sessionPool, templates, log } = deps;
  /** Templates of the environments that were created here. */
  const recent = new LRUCache<string, true>({ max: TEMPLATES_MAX, ttl: RECENT_MS });
  const planned = new Map<string, Planned>();
  let lastBuilds = "";

  const namesOf = (template: string) =>
    [...planned].flatMap(([schema, of]) =>
      of.template === template && !of.session.lost ? [schema] : [],
    );

  /** Plans ahead in the ready schemas of a template. */
  async function planFor(template: string, builds: string, count: number, goesOn: () => boolean) {
    const ready = await schemas.listReady(pool, template, namesOf(template), count);
    for (const schema of namesOf(template)) if (!ready.includes(schema)) planned.delete(schema);
    const blueprint = await templates.blueprint(template).catch(() => undefined); // deleted meanwhile
    if (!blueprint) return;
    const { tables } = blueprint;
    for (const schemaName of ready) {
      const known = planned.get(schemaName);
      if (known && !known.session.lost && known.builds === builds) continue;
      if (!goesOn()) return;
      const claim = (tx: Sql) => schemas.keepReady(tx, schemaName);
      const session = await sessionPool.plan({ schemaName, tables }, claim, goesOn);
      if (session) planned.set(schemaName, { template, session, builds });
    }
  }

  /** Plans ahead once no schema has been built since the last look. */
  async function look(goesOn: () => boolean): Promise<void> {
    recent.purgeStale();
    for (const [schema, { template, session }] of planned)
      if (session.lost || !recent.has(template)) planned.delete(schema);
    if (recent.size === 0 || !goesOn()) return;
    const builds = await schemas.readBuilds(pool);
    const isBuilding = builds !== lastBuilds;
    lastBuilds = builds;
    if (isBuilding) return;
    const used = [...recent.keys()];
    for (const template of used)
      await planFor(template, builds, Math.floor(SCHEMAS_MAX / used.length), goesOn);
  }

  return {
    /** Ready schemas of a template with plans here, for an environment of it that is being created. */
    of(template: string): string[] {
      recent.set(template, true);
      return namesOf(template);
    },

    /** A schema is not ready any more. */
    forget: (schema: string) => planned.delete(schema),

    look,

    /** Looks again and again. Returns the function that stops it. */
    start(isQuiet: () => boolean): () => Promise<void> {
      let stopping = false;
      let wake = () => {};
      const goesOn = () => !stopping && isQuiet();
      const run = async () => {
        while (!stopping) {
          const started = performance.now();
          await look(goesOn).catch((error) => {
            const level = stopping || isUnavailable(error) ? "debug" : "warn";
            log[level]("statements not planned ahead", errorFields(error));
          });
          const rest = Math.max(LOOK_MS, (performance.now() - started) * REST);
          const { promise, resolve } = Promise.withResolvers<void>();
          const timer = setTimeout(resolve, rest);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          await promise;
        }
      };
      const running = run();
      return async () => {
        stopping = true;
        wake();
        await running;
      };
    },
  };
}
