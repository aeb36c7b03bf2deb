/** A requirement that was checked. */
export type Check = {
  /** The finding, with its value: `max_connections is 100`. */
  readonly found: string;
  /** The finding and the fix, unless all is well. */
  readonly problem?: string;
  /** An effect that may be unwanted. */
  readonly warning?: string;
};
