/** The net changes of each actor in an environment, kept apart also where several have changed the same row. */
import type { Actor } from "~/capture/actor";
import type { Change, Image, TableShape } from "~/capture/change";
import { createFold, type Fold } from "~/capture/fold";

export type Folds = ReturnType<typeof createFolds>;

/** `keys`: primary key columns of each table, in the order in which the diff lists the tables. */
export function createFolds(keys: { readonly [table: string]: readonly string[] }) {
  const agent = createFold(keys);
  const others = new Map<Actor, Fold>();

  /** `actor`: undefined for the agent. */
  function of(actor: Actor | undefined): Fold {
    if (actor === undefined) return agent;
    let fold = others.get(actor);
    if (!fold) {
      fold = createFold(keys);
      others.set(actor, fold);
    }
    return fold;
  }

  return {
    agent,
    others: others as ReadonlyMap<Actor, Fold>,
    of,

    /** Number of rows held, of all actors. */
    get size() {
      let size = agent.size;
      for (const fold of others.values()) size += fold.size;
      return size;
    },

    /** Memory used. */
    get bytes() {
      let bytes = agent.bytes;
      for (const fold of others.values()) bytes += fold.bytes;
      return bytes;
    },

    /** Whether a table's old rows may have been incomplete, as far as the log shows. */
    isBare: (table: string) =>
      agent.isBare(table) || others.values().some((fold) => fold.isBare(table)),

    /** A column that several have changed has in each fold what its actor made of it. */
    apply(change: Change, actor: Actor | undefined): void {
      const own = of(actor);
      own.apply(change, others.size > 0);
      if (others.size === 0) return;
      if (own !== agent) agent.follow(change);
      for (const fold of others.values()) if (fold !== own) fold.follow(change);
    },
  };
}

type Row = Image | undefined;

/** A change of a row by an actor other than the agent, as the states before and after it. */
export type Step = { readonly actor: Actor; readonly was: Row; readonly became: Row };

/**
 * The folds of one row that others have changed in these steps, from its state before a run to that after it. Whatever
 * happened between the steps, the agent did.
 */
export function foldsOfRow(
  shape: TableShape & { readonly key: readonly string[] },
  [start, end]: readonly [Row, Row],
  steps: readonly Step[],
): Folds {
  const folds = createFolds({ [shape.name]: shape.key });
  let state = start;
  const change = (after: Row, actor: Actor | undefined) => {
    const made = changeOf(folds.of(actor).table(shape.name), shape, state, after);
    if (made) folds.apply(made, actor);
    state = after;
  };
  for (const { actor, was, became } of steps) {
    change(was, undefined);
    change(became, actor);
  }
  change(end, undefined);
  return folds;
}

/** The change between two states of a row; undefined if they are the same. */
function changeOf(
  table: TableShape | undefined,
  { columns, types }: TableShape,
  before: Row,
  after: Row,
): Change | undefined {
  if (!table) throw new Error("a fold lacks its table");
  if (table.columns.length === 0) {
    table.columns.push(...columns);
    table.types.push(...types);
  }
  if (!before) return after && { op: "insert", table, after: [...after] };
  if (!after) return { op: "delete", table, before: [...before] };
  const isSame = after.every((text, place) => text === before[place]);
  return isSame ? undefined : { op: "update", table, before: [...before], after: [...after] };
}
