/** A requirement that was checked. */
export type Check = {
  /** The finding, with its value: `max_connections is 100`. */
  readonly found: string;
  /** The finding and the fix, unless all is well. */
  readonly problem?: string;
  /** An effect that may be unwanted. */
  readonly warning?: string;
};

/** The database is unreachable or misses a requirement. Each problem has the finding and the fix. */
export class PreflightError extends Error {
  override readonly name = "PreflightError";
  readonly problems: readonly string[];
  /** The database may just not be up yet. */
  readonly unreachable: boolean;
  constructor(problems: readonly string[], unreachable = false) {
    super(problems.join("\n"));
    this.problems = problems;
    this.unreachable = unreachable;
  }
}
