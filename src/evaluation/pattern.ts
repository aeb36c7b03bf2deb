/** Quoted text, a class of characters by name, an escape, a custom class, a repetition, or one character. */
const TOKENS =
  /\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]])*\]|\{\d+(?:,\d*)?\}|./gs;

/** Estimates the compiled size of a pattern in steps, with repetitions expanded: 6 for `(ab){3}`. Never throws. */
export function stepsOf(pattern: string): number {
  const groups = [0];
  /** The size of the last element, which a repetition would repeat. */
  let last = 0;
  const add = (steps: number) => groups.push((groups.pop() ?? 0) + steps);
  const append = (steps: number) => {
    last = steps;
    add(steps);
  };
  for (const [token] of pattern.matchAll(TOKENS)) {
    const repetition = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (token === "(") groups.push(0);
    else if (token === ")") append(groups.pop() ?? 0);
    else if (repetition) {
      const times = Number(repetition[2] || repetition[1]);
      add(last * (times - 1));
      last *= times;
    } else append(token.startsWith("\\Q") ? token.length : 1);
  }
  return groups.reduce((sum, steps) => sum + steps, 0);
}
