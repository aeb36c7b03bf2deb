/** An environment as the session pool knows it. */
import type { Pool, Sql } from "~/db/connect";
import type { Source } from "~/source";

/** An environment's id and schema, for its calls. */
export type EnvironmentRef = {
  readonly environmentId: string;
  readonly schemaName: string;
  readonly tables: readonly { readonly name: string }[];
};

/** Thrown when the environment has ended: its schema may belong to another one. */
export class EnvironmentEnded extends Error {
  override readonly name = "EnvironmentEnded";
}

/** The source of an environment's calls: one for all, or a new one for each. */
export type SourceOf = Source | ((sql: Pool) => Promise<Source>);

/** Facts about an environment that change only between its calls, while none is in progress on any server. */
export type Opening<S> = {
  readonly source: SourceOf;
  readonly settings: S;
  /** Each of its changes is noted, with its cause. */
  readonly isNoted?: boolean;
};

/** Looks up an environment; undefined if it has ended or expired. */
export type OpenEnvironment<S> = (
  sql: Sql,
  environmentId: string,
) => Promise<Opening<S> | undefined>;
