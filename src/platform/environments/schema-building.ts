/** Builds schemas for the pool, or fills empty ones. Building costs tables, not rows. */

import { type Blueprint, withoutRows } from "~/db/blueprint";
import type { Tx } from "~/db/connect";
import type { Builders } from "~/db/origins";
import { buildClone, fillClone, newSchemaName } from "~/db/schemas";
import type { Metrics } from "~/metrics";
import * as schemas from "~/platform/environments/schemas-store";
import type { Templates } from "~/platform/templates/templates";

/** Until the first build has shown how long one takes. */
const BUILD_SECONDS = 0.1;
/** Rows of a template beyond which the indexes cost more in an empty schema than in a new one. */
const FILL_ROWS_MAX = 5_000;
/** Share of the newest build in the average. */
const NEWEST = 0.2;

/** Under this name of a template, the register has the empty schemas for templates of this shape. */
export const emptyOf = ({ shape }: Blueprint) => `empty_${shape}`;

/** Whether an empty schema with the rows of this template is cheaper than a new one. */
const isFillable = ({ rowCounts }: Blueprint) =>
  rowCounts.values().reduce((all, rows) => all + rows, 0) <= FILL_ROWS_MAX;

type Made = { readonly result: "built" | "filled"; readonly schema: string };

export type BuildingParts = {
  builders: Builders;
  templates: Templates;
  metrics: Metrics;
  /** Announces the tables of a new schema to capture, in the transaction that builds it. */
  onBuild: (tx: Tx, schema: string) => Promise<void>;
};

export function createSchemaBuilding({ builders, templates, metrics, onBuild }: BuildingParts) {
  /** A moving average. */
  let buildSeconds = BUILD_SECONDS;

  /** Builds and registers a schema under a template's name, inside the caller's transaction. */
  async function buildNew(
    tx: Tx,
    blueprint: Blueprint,
    templateSchema: string,
    state: schemas.SchemaState,
  ): Promise<Made> {
    const schema = newSchemaName();
    const built = await buildClone(tx, blueprint, schema);
    await onBuild(tx, schema);
    await schemas.register(tx, schema, templateSchema, state, built);
    return { result: "built", schema };
  }

  /** Fills an empty schema, inside the caller's transaction. Returns undefined if there is none. */
  async function fillEmpty(
    tx: Tx,
    blueprint: Blueprint,
    state: schemas.SchemaState,
  ): Promise<Made | undefined> {
    if (!isFillable(blueprint)) return undefined;
    const empty = await schemas.lockReady(tx, emptyOf(blueprint));
    if (!empty) return undefined;
    const freshXid = await fillClone(tx, blueprint, empty.schema);
    await schemas.assign(tx, empty.schema, blueprint.schema, state, freshXid);
    return { result: "filled", schema: empty.schema };
  }

  /** Makes a schema in one transaction. Returns its name. */
  async function make(
    templateSchema: string,
    work: (tx: Tx, blueprint: Blueprint) => Promise<Made>,
  ): Promise<string> {
    const blueprint = await templates.blueprint(templateSchema);
    const started = performance.now();
    let result: Made["result"] | "failed" = "failed";
    try {
      const made = await builders.transaction((tx) => work(tx, blueprint));
      ({ result } = made);
      if (result === "built")
        buildSeconds += NEWEST * ((performance.now() - started) / 1000 - buildSeconds);
      return made.schema;
    } finally {
      metrics.poolBuilds.inc({ result });
    }
  }

  return {
    /** How long a build takes at present. */
    buildSeconds: () => buildSeconds,

    /** Fills or builds a schema that equals its template, and registers it. */
    build: (templateSchema: string, state: schemas.SchemaState): Promise<string> =>
      make(
        templateSchema,
        async (tx, blueprint) =>
          (await fillEmpty(tx, blueprint, state)) ??
          (await buildNew(tx, blueprint, templateSchema, state)),
      ),

    /** Builds an empty schema with the tables of this template. */
    buildEmpty: (templateSchema: string): Promise<string> =>
      make(templateSchema, (tx, blueprint) =>
        buildNew(tx, withoutRows(blueprint), emptyOf(blueprint), "ready"),
      ),
  };
}
