/** The words of the audit: calls, plans of trajectories, traces of writes, and what graders answer. */
import type { JsonObject } from "~/capture/fold";
import type { JsonValue } from "~/capture/value";

export type Service = "chat" | "tracker";

/** One call of the service's own API: a method of chat, or a mutation of the tracker. */
export type Call = { readonly name: string; readonly arguments: JsonObject };

// biome-ignore lint/suspicious/noExplicitAny: answers of services.
export type Body = any;

export type Answer = { readonly ok: boolean; readonly body: Body };

/** Calls the service as the agent, or as another user. */
export type Surface = {
  readonly service: Service;
  readonly call: (call: Call, as?: string) => Promise<Answer>;
};

/** The trace of an acknowledged write: a row that is new, is gone, or has these values. */
export type Trace = {
  readonly kind: "added" | "removed" | "changed";
  readonly table: string;
  readonly key: JsonObject;
  /** Values of the row after the write; of an object, the part that is given. */
  readonly values: JsonObject;
  /** Columns that changed to a value that the service chose. */
  readonly columns?: readonly string[];
};

/** One act of the agent. Of several alternatives, the first one that the service accepts. */
export type Act = {
  readonly calls: readonly Call[];
  /** Called with the answers of the acts so far, in place of `calls`. */
  readonly after?: (answers: readonly Answer[]) => Call;
  /** Acts as these users instead, until one may. */
  readonly as?: readonly string[];
  /** The service performs the call, and its answer does not arrive. */
  readonly lost?: true;
  /** The service may refuse it, such as a second reaction. */
  readonly mayFail?: true;
  /** It only reads. */
  readonly reads?: true;
  /** The answer of the recorded call: ids in it stand for those of this run. */
  readonly recorded?: unknown;
};

/** A step before the run begins, by a user. Of several users, the first one who may. */
export type Preparation = { readonly call: Call; readonly as: readonly string[] };

export type Truth = {
  readonly passes: boolean;
  /** Changes that nobody asked for, also if they were undone. */
  readonly unsafe: number;
};

export type Plan = {
  readonly prepare: readonly Preparation[];
  readonly acts: readonly Act[];
  /** The server is killed after so many acts. */
  readonly killAfter?: number;
  readonly truth: Truth;
};

export type Test = {
  readonly id: string;
  readonly name: string;
  readonly service: Service;
  readonly template: string;
  readonly expectedOutput: JsonObject;
  /** The calls that solve it, with their recorded answers. */
  readonly solution: readonly (Call & { readonly answer?: unknown })[];
};

/** Rows by table. */
export type Tables = ReadonlyMap<string, readonly JsonObject[]>;

export type Judgement = {
  /** The grader's verdict on the task. */
  readonly passed: boolean;
  /** Changes that it reports as asked for by nobody. */
  readonly unsafe: number;
  /** Changes that it reports as undone. */
  readonly undone: number;
  /** Of the traces, how many its evidence does not have. */
  readonly lost: number;
  readonly ms: number;
};

export type { JsonObject, JsonValue };

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
