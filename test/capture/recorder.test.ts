/** A failing run affects no other run. Uses lines of wal2json, without a database. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { Mark } from "~/capture/change";
import { EVENTS_BYTES_MAX, RUN_BYTES_MAX, TOTAL_BYTES_MAX } from "~/capture/limits";
import { diffLists, otherChanges } from "~/capture/lists";
import { LOSSES } from "~/capture/loss";
import { createRecorder, type Recorder } from "~/capture/recorder";
import type { Ended } from "~/capture/recordings";
import { decodeWal2json } from "~/capture/wal2json";

let recorder: Recorder;
let lsn: bigint;
let ended: Ended[];
let lost: Record<string, string>;

beforeEach(() => {
  lsn = 100n;
  ended = [];
  lost = {};
  recorder = createRecorder(lsn, false, [], decodeWal2json, {
    seen: () => {},
    ended: (run) => ended.push(run),
    lost: (run, loss) => {
      lost[run] = LOSSES[loss];
    },
  });
});

const line = (value: object | string) =>
  recorder.read(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), ++lsn);
const commit = (...lines: (object | string)[]) => {
  for (const each of [{ action: "B" }, ...lines, { action: "C" }]) line(each);
};
const markText = (content: string) => ({
  action: "M",
  transactional: true,
  prefix: "diorama.run",
  content,
});
const mark = (content: Mark) => markText(JSON.stringify(content));
const RELATIONS = {
  ids: "",
  whole: true,
  files: 1,
  versions: 1,
  columns: 1,
  published: 1,
  xid: "1",
};
const start = (run: string) =>
  mark({
    k: "start",
    run,
    schema: run,
    at: 0,
    keys: { things: ["id"] },
    relations: RELATIONS,
    published: true,
  });
const end = (run: string) => mark({ k: "end", run, instance: "here", relations: RELATIONS });
const insert = (run: string, id: number, body: string) => ({
  action: "I",
  schema: run,
  table: "things",
  columns: [
    { name: "id", type: "integer", value: id },
    { name: "body", type: "text", value: body },
  ],
});
/** Writes this much into a run, a megabyte per row. */
const fill = (run: string, bytes: number) => {
  for (let id = 0; id < bytes / 2 ** 20; id++)
    commit(insert(run, id, String.fromCharCode(97 + (id % 26)).repeat(2 ** 20)));
};
const idsOf = (run: string) => {
  const taken = recorder.take(run);
  if (!taken || "lost" in taken) return taken && LOSSES[taken.lost];
  const { lists, text } = diffLists();
  taken.folds.agent.drain(lists);
  return JSON.parse(text()).inserts.map(({ id }: { id: number }) => id);
};
const eventsOf = (run: string) => {
  const taken = recorder.take(run);
  return taken && "events" in taken ? JSON.parse(taken.events.written().events) : undefined;
};

describe("one run is lost and no other", () => {
  beforeEach(() => commit(start("one"), start("two")));
  const finish = () => {
    commit(insert("two", 2, "b"));
    commit(end("one"), end("two"));
    expect(ended.map(({ run }) => run)).toEqual(["one", "two"]);
    return { one: idsOf("one"), two: idsOf("two") };
  };

  test("when a change cannot be decoded", () => {
    commit(insert("one", 1, "a"), '{"action":"I","schema":"one","table":"things","columns":[{');
    expect(finish()).toEqual({ one: "a change could not be read", two: [2] });
  });

  test("when a change cannot be applied", () => {
    commit({ ...insert("one", 1, "a"), columns: [null] });
    expect(finish()).toEqual({ one: "a change could not be read", two: [2] });
  });

  test("when its rows take more memory than a run may", () => {
    fill("one", RUN_BYTES_MAX + 2 ** 20);
    expect(lost).toEqual({ one: "more than 32 MB of changed rows" });
    expect(finish()).toEqual({ one: "more than 32 MB of changed rows", two: [2] });
  });

  test("when one change is longer than a run may be, without parsing it", () => {
    commit(`${JSON.stringify(insert("one", 1, "")).slice(0, -1)}${" ".repeat(RUN_BYTES_MAX)}`);
    expect(finish()).toEqual({ one: "more than 32 MB of changed rows", two: [2] });
  });

  test("when an unknown table appears", () => {
    commit({ ...insert("one", 1, "a"), table: "others" });
    expect(finish()).toEqual({ one: "a table was created", two: [2] });
  });
});

test("a transaction of another actor is not the agent's, and only that transaction", () => {
  commit(start("a"));
  commit(mark({ k: "counterpart", schema: "a" }), insert("a", 1, "by Dana"));
  commit(insert("a", 2, "by the agent"));
  commit(mark({ k: "clock", schema: "a" }), insert("a", 3, "later"));
  commit(end("a"));

  const taken = recorder.take("a");
  if (!taken || "lost" in taken) throw new Error("the run is lost");
  const [diff, others] = [diffLists(), otherChanges()];
  taken.folds.agent.drain(diff.lists);
  others.add(taken.folds);
  expect(JSON.parse(diff.text()).inserts.map(({ id }: { id: number }) => id)).toEqual([2]);
  expect(JSON.parse(others.text() ?? "").inserts).toEqual([
    { __table__: "things", __actor__: "counterpart", id: 1, body: "by Dana" },
    { __table__: "things", __actor__: "clock", id: 3, body: "later" },
  ]);
  const { events } = JSON.parse(taken.events.written().events);
  expect(events.map(({ actor }: { actor?: string }) => actor)).toEqual([
    "counterpart",
    undefined,
    "clock",
  ]);
});

test("a foreign message with our prefix is skipped", () => {
  commit(markText("hello"), start("one"));
  commit(insert("one", 1, "a"));
  commit(end("one"));
  expect(idsOf("one")).toEqual([1]);
});

test("an unreadable message that belongs to no run throws", () => {
  expect(() => line({ action: "?" })).toThrow("unknown action");
});

describe("over the memory of all runs together", () => {
  test("the run that holds most fails, whichever one exceeds the limit", () => {
    commit(start("small"), start("large"), start("medium"));
    fill("small", 2 ** 20);
    fill("large", RUN_BYTES_MAX - 2 ** 20);
    fill("medium", RUN_BYTES_MAX - 2 * 2 ** 20);
    expect(lost).toEqual({});
    commit(start("late"));
    fill("late", 6 * 2 ** 20);

    expect(lost).toEqual({
      large: "more than 8 MB of changed rows, and more than 64 MB in all runs together",
    });
    commit(end("small"), end("large"), end("medium"), end("late"));
    expect(idsOf("small")).toEqual([0]);
    expect(idsOf("late")).toHaveLength(6);
  });

  test("none of many has exceeded its share", () => {
    const names = Array.from({ length: 10 }, (_, n) => `run${n}`);
    for (const name of names) commit(start(name));
    for (const name of names) fill(name, 6.7 * 2 ** 20);

    expect(Object.values(lost)).toEqual(["more than 64 MB of changed rows in all runs together"]);
    commit(...names.map(end));
  });

  test("it drops its events before it fails", () => {
    commit(start("large"), start("medium"), start("small"));
    const rows = RUN_BYTES_MAX - 2 * 2 ** 20;
    fill("large", rows);
    fill("medium", rows - 2 ** 20);
    const room = TOTAL_BYTES_MAX - recorder.bytesOf("large") - recorder.bytesOf("medium");
    expect(room).toBeLessThan(EVENTS_BYTES_MAX);
    fill("small", 2 ** 20);

    expect(lost).toEqual({});
    commit(end("large"), end("medium"), end("small"));
    expect(eventsOf("large")).toEqual({ total: 30, events: [] });
    expect(eventsOf("small").events).toHaveLength(1);
  });

  test("a run that is closed or taken frees its memory", () => {
    for (const run of ["first", "second", "third", "fourth"]) {
      commit(start(run));
      fill(run, RUN_BYTES_MAX - 2 * 2 ** 20);
      if (run === "first") commit(mark({ k: "close", run }));
      else {
        commit(end(run));
        expect(idsOf(run)).toHaveLength(30);
      }
    }
    expect(lost).toEqual({});
  });
});
