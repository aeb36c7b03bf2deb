/** The beginnings of rules: a change, a time, silence, or another rule whose `then` names it. */
import { ApiError } from "~/errors";
import { nearest, quoted } from "~/input/nearest";
import type { Counterpart } from "~/platform/counterparts/model";

/** Rules that set off each other, one after the other. */
const CHAIN_MAX = 10;

/** The first rule of the chain that a rule belongs to: it has `when`, `at` or `quiet`. Throws `invalid_request`. */
export function firstOfChain(
  rules: readonly Counterpart[],
  rule: Counterpart,
  path: string,
): Counterpart {
  let first = rule;
  for (let length = 1; length <= CHAIN_MAX; length++) {
    const before = beforeOf(rules, first, path);
    if (!before) return first;
    first = before;
  }
  throw wrong(
    path,
    `then: at most ${CHAIN_MAX} rules in a row are possible, and the first one has when, at or quiet`,
  );
}

/** The rule whose `then` names this one; undefined for one that begins by itself. */
function beforeOf(
  rules: readonly Counterpart[],
  { name, when, at, quiet }: Counterpart,
  path: string,
): Counterpart | undefined {
  const [before, another] = rules.filter((each) => each.then === name);
  if (another) throw wrong(path, `two rules name ${quoted(name)} in then`);
  const given = [when, at, quiet, before].filter((each) => each !== undefined).length;
  if (given === 1) return before;
  throw wrong(
    path,
    given === 0
      ? `${quoted(name)} needs when, at or quiet, or another rule that names it in then`
      : `${quoted(name)} has more than one of when, at, quiet, and a rule that names it in then`,
  );
}

/** Throws `invalid_request` if a rule names one that does not exist, or says how often it acts and does not decide that. */
export function requireChain(rules: readonly Counterpart[], rule: Counterpart, path: string): void {
  const { then, when, at, quiet, after, times } = rule;
  const names = rules.map(({ name }) => name);
  if (then !== undefined && !names.includes(then))
    throw wrong(`${path}.then`, `there is no rule ${quoted(then)}${nearest(then, names)}`);
  if ((at ?? quiet) !== undefined && after !== undefined)
    throw wrong(`${path}.after`, `a rule with ${at === undefined ? "quiet" : "at"} has none`);
  if (times !== undefined && !when && quiet === undefined)
    throw wrong(
      `${path}.times`,
      "only a rule with when or quiet has it; any other acts once each time",
    );
}

const wrong = (path: string, problem: string) =>
  new ApiError("invalid_request", `${path}: ${problem}`);
