/** Sets of numbers as ascending sequences, which are read no further than they are asked for. */

/** Ascending instants of ascending wall clocks: one that a gap has moved may come after some that follow it. */
export function* inOrder(
  walls: Iterable<number>,
  instantOf: (wall: number) => { readonly ms: number; readonly isMoved: boolean },
): Generator<number> {
  // At most those of one gap. Among themselves they stay in order.
  let moved: number[] = [];
  for (const wall of walls) {
    const { ms, isMoved } = instantOf(wall);
    if (isMoved) {
      moved.push(ms);
      continue;
    }
    if (moved.length > 0) {
      const due = moved.filter((held) => held <= ms);
      moved = moved.slice(due.length);
      yield* due;
    }
    yield ms;
  }
  yield* moved;
}

/** Each number once. */
export function* union(sequences: readonly Iterator<number>[]): Generator<number> {
  const heads = sequences.map((sequence) => ({ sequence, next: sequence.next() }));
  let last: number | undefined;
  for (;;) {
    let least: (typeof heads)[number] | undefined;
    for (const head of heads)
      if (!head.next.done && (!least || head.next.value < least.next.value)) least = head;
    if (!least) return;
    const { value } = least.next;
    least.next = least.sequence.next();
    if (value !== last) yield value;
    last = value;
  }
}

/** Those of the first sequence that are neither in the second nor in the set. */
export function* difference(
  sequence: Iterable<number>,
  excluded: Iterator<number>,
  others: ReadonlySet<number>,
): Generator<number> {
  let next = excluded.next();
  for (const value of sequence) {
    while (!next.done && next.value < value) next = excluded.next();
    if (!(next.value === value && !next.done) && !others.has(value)) yield value;
  }
}
