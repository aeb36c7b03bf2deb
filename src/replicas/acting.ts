/** Calls by simulated colleagues, which a rule describes: without an HTTP request. */

/** The arguments of a call, by name. JSON. */
export type Given = { readonly [name: string]: unknown };

export type Acting = {
  /** The names of the calls that colleagues can make. */
  readonly names: () => Iterable<string>;
  /** The arguments that a call takes; undefined if the service ignores those that it does not know. */
  readonly parameters?: (name: string) => readonly string[];
  /** The path and the JSON body of a call with one of these names. */
  readonly request: (
    name: string,
    given: Given,
  ) => { readonly path: string; readonly body: object };
  /** The call that says something, where people talk: with `text`, `channel` and `thread_ts`. */
  readonly say?: {
    readonly name: string;
    /** The column of a row that names the channel. */
    readonly channel: string;
  };
};
