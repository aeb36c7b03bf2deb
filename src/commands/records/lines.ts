/** A run as lines of JSON, for tools that read one record after another: the run, its calls, other changes, the verdict. */
import type { RunRecord } from "~/commands/records/record";

export function jsonl({ about, verdict, prompt, calls, others }: RunRecord): string {
  const lines = [
    { type: "run", ...about, prompt },
    ...calls.map(({ id: _, rows, ...call }) => ({ type: "call", ...call, rows })),
    ...others.map((change) => ({ type: "change", ...change })),
    { type: "verdict", ...verdict },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
