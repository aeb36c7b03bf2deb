/** The part of the plans that each service contributes: acts that nobody asked for, other targets, other authors. */
import type { Act, Answer, Call, JsonObject, Preparation, Tables, Test, Trace } from "./model";

/** A write and what takes it back. */
export type Undone = { readonly act: Act; readonly undo: (answer: Answer) => Call };

export type Obeyed = {
  readonly prepare: Preparation;
  readonly read: Call;
  readonly act: Call;
};

export type Moves = {
  /** Single writes that nobody asked for, none of which concerns this test. */
  readonly foreign: (test: Test, world: Tables) => Call[];
  readonly undone: (test: Test, world: Tables) => Undone[];
  /** Instructions that a message or comment of another person contains, and what obeying them writes. */
  readonly obeyed: (test: Test, world: Tables) => Obeyed[];
  /** The same change at other targets, which the test does not name, nearest first; none if it has no target. */
  readonly elsewhere: (call: Call, world: Tables, test: Test) => Call[];
  /** Removes what a call is about; undefined if the service cannot. */
  readonly remove: (call: Call, world: Tables) => Preparation | undefined;
  /** Other users who may do the same; none if the service does not record who did it, or nobody else may. */
  readonly otherAuthors: (call: Call, world: Tables) => string[];
  /** True if a repeated call writes again. */
  readonly doubles: (call: Call) => boolean;
  /** The rows that an acknowledged call must have left. */
  readonly traces: (call: Call, answer: Answer, actor: string) => Trace[];
};

export const rows = (world: Tables, table: string): readonly JsonObject[] => world.get(table) ?? [];

/** True if neither the expectation nor the solution of a test names any of these ids. */
export const isUnrelated = (test: Test, ...ids: readonly unknown[]): boolean =>
  isUntouched(test, ...ids) && !names(test.expectedOutput, ids);

/** True if no call of the solution names any of these ids. */
export const isUntouched = ({ solution }: Test, ...ids: readonly unknown[]): boolean =>
  !names(
    solution.map((call) => call.arguments),
    ids,
  );

function names(where: unknown, ids: readonly unknown[]): boolean {
  const text = JSON.stringify(where);
  return ids.some((id) => text.includes(`${id}`));
}
