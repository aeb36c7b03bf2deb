/** The progress of a suite: one line that changes on a terminal, otherwise a line for each attempt that has ended. */
import type { Outcome } from "~/commands/suite";
import { others, scoreOf, timeOf, titleOf } from "~/commands/suite-report";
import { isTerminal, notice, progress } from "~/log";

const MINUTE = 60;
const HOUR = 3_600;
const VERDICT_WIDTH = "not gradable".length;

/** `earlier`: attempts that are not made again. */
export function createProgress(total: number, earlier: readonly Outcome[], repeat: number) {
  const started = performance.now();
  const done: Outcome[] = [...earlier];
  const line = () => {
    const passed = done.filter(({ verdict }) => verdict === "passed").length;
    const made = done.length - earlier.length;
    const left = total - done.length;
    const seconds = (((performance.now() - started) / made) * left) / 1000;
    const rest = made === 0 || left === 0 ? "" : `; about ${duration(seconds)} left`;
    return `${done.length} of ${total}: ${passed} passed${others(done)}${rest}`;
  };
  if (isTerminal()) progress(line());
  return {
    show(outcome: Outcome): void {
      done.push(outcome);
      if (isTerminal()) progress(line());
      else
        notice(
          [
            `${done.length}/${total}`.padStart(`${total}`.length * 2 + 1),
            outcome.verdict.padEnd(VERDICT_WIDTH),
            ...[titleOf(outcome, repeat), scoreOf(outcome), timeOf(outcome)].filter(Boolean),
          ].join("  "),
        );
    },
    /** Leaves the line as it is. */
    end(): void {
      if (isTerminal()) progress(line(), true);
    },
  };
}

/** `40 s`, `12 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < MINUTE) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / MINUTE);
  if (seconds < HOUR) return `${minutes} min`;
  return `${Math.floor(minutes / MINUTE)} h ${minutes % MINUTE} min`;
}
