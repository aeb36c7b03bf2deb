/** The rows of a run's calls: whole lines, or without arguments and answers once the run has very many. */
import { createHash } from "node:crypto";
import { answerText, leftOut } from "~/platform/journal/line";
import type { Dropped, WaitingCall } from "~/platform/journal/queue";
import type { Batch, JournaledRun, JournalMode } from "~/platform/journal/store";

/** Calls of one run that one server appends whole, and their characters. Then it leaves out arguments and answers. */
const WHOLE_LINES_MAX = 200_000;
const WHOLE_LENGTH_MAX = 256 * 1024 * 1024;
/** Calls of one run that one server appends at all, and their characters. */
const RUN_LINES_MAX = 1_000_000;
const RUN_LENGTH_MAX = 768 * 1024 * 1024;
/** Characters of the lines in a row of the table, unless one alone has more. */
const ROW_LENGTH_MAX = 512 * 1024;
/** Runs with counters: beyond it, the oldest begin anew. */
const RUNS_MAX = 10_000;

/** `head` and `arguments`: JSON text. What the caller sent is released when the call ends. */
export type EndedCall = WaitingCall & { readonly head: string; readonly arguments: string };

/** `headText`: the line of a call without its arguments. */
export function createBatches(headText: (call: EndedCall) => string) {
  /** Calls, and their characters, that this server has appended to each run. */
  const appended = new Map<string, { lines: number; length: number }>();

  function wholeText(call: EndedCall, journal: JournalMode): string {
    const answer = journal === "full" ? `,"answer":${shownAnswer(call)}` : "";
    return `${headText(call).slice(0, -1)},"arguments":${call.arguments}${answer}}`;
  }

  /** Whether two calls have the same arguments is known without them. */
  function shortText(call: EndedCall): string {
    const hash = createHash("md5").update(call.arguments).digest("hex"); // as Postgres has it
    const given = leftOut(call.arguments.length);
    return `${headText(call).slice(0, -1)},"arguments":${given},"hash":"${hash}"}`;
  }

  return (
    { runId, journal }: JournaledRun,
    calls: readonly EndedCall[],
    lost: Dropped = NONE_DROPPED,
  ): Batch[] => {
    const count = appended.get(runId) ?? { lines: 0, length: 0 };
    const kept = calls.flatMap((call) => {
      const isWhole = count.lines < WHOLE_LINES_MAX && count.length < WHOLE_LENGTH_MAX;
      const text = isWhole ? wholeText(call, journal) : shortText(call);
      if (count.lines >= RUN_LINES_MAX || count.length + text.length > RUN_LENGTH_MAX) return [];
      count.lines++;
      count.length += text.length;
      return [text];
    });
    appended.set(runId, count);
    const [oldest] = appended.keys();
    if (appended.size > RUNS_MAX && oldest !== undefined) appended.delete(oldest);
    const over = calls.length - kept.length;
    const [dropped, droppedOwn] = [lost.count + over, lost.own + over];
    if (kept.length === 0 && dropped === 0) return [];
    const rows = rowsOf(kept).map((texts) => ({
      runId,
      lines: `[${texts.join(",")}]`,
      lineCount: texts.length,
      dropped: 0,
      droppedOwn: 0,
    }));
    const [first, ...others] = rows;
    return [{ runId, lines: "[]", lineCount: 0, ...first, dropped, droppedOwn }, ...others];
  };
}

/** Splits texts, so that a row is read with little memory later. */
function rowsOf(texts: readonly string[]): string[][] {
  const rows: string[][] = [];
  let length = Infinity;
  for (const text of texts) {
    if (length + text.length > ROW_LENGTH_MAX) {
      rows.push([]);
      length = 0;
    }
    rows.at(-1)?.push(text);
    length += text.length;
  }
  return rows;
}

const NONE_DROPPED: Dropped = { count: 0, own: 0, began: 0, ended: 0 };

function shownAnswer({ answer }: EndedCall): string {
  // An empty answer, such as that to a deletion, is no JSON.
  if (!answer || answer.characters === 0) return "null";
  const { text, characters } = answer;
  return text === undefined ? leftOut(characters) : answerText({ text, characters });
}
