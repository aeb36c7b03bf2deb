/** No run stays `ending`: it waits for a reader that moves, and for no other. */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { LOSSES } from "~/capture/loss";
import { connect, type Pool } from "~/db/connect";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import type { Reader } from "~/platform/runs/leader-store";
import { createOverdue } from "~/platform/runs/overdue";
import { useDatabase } from "../../support/database";

const database = useDatabase();
let pool: Pool;
let now: number;
let reader: Reader;
let overdue: ReturnType<typeof createOverdue>;
let run: string;
let metrics: ReturnType<typeof createMetrics>;

beforeAll(() => {
  pool = connect(database.url, { max: 1, name: "test", camel: true });
  database.beforeDrop.push(() => pool.end());
});

beforeEach(async () => {
  await pool`delete from diorama.runs`;
  run = await insertEnding();
  now = 1000;
  reader = { connection: 1, position: 50n, end: 100n };
  metrics = createMetrics();
  overdue = createOverdue({
    pool,
    log: createLog({ level: "error", write: () => {} }),
    metrics,
    reader: () => Promise.resolve(reader),
    clock: () => now,
  });
});

async function insertEnding() {
  const id = crypto.randomUUID();
  await pool`
    insert into diorama.runs (run_id, environment_id, schema_name, user_id, before_snapshot, capture, status, ended_at)
    values (${id}, 'env', 'schema', 'user', 'b', 'log', 'ending', now())
  `;
  return id;
}

/** The run after so many seconds, in which the reader may have made progress. */
async function after(seconds: number, seen: Partial<Reader> = {}) {
  now += seconds;
  reader = { ...reader, ...seen };
  await overdue.fail();
  const [row] = await pool<{ status: string; failures: string[] }[]>`
    select status, failures from diorama.runs where run_id = ${run}
  `;
  return row?.status === "failed" ? row.failures[0] : row?.status;
}

describe("a run that is ending", () => {
  test("fails when no server reads the log", async () => {
    expect(await after(0, { connection: undefined, position: 0n })).toBe("ending");
    expect(await after(99)).toBe("ending");
    expect(await after(1)).toBe("capture_lost: the log is not being read");
  });

  test("fails when the reader makes no progress", async () => {
    expect(await after(0)).toBe("ending");
    expect(await after(50, { position: 60n })).toBe("ending");
    expect(await after(99)).toBe("ending");
    expect(await after(1)).toBe("capture_lost: the log is not being read");
  });

  test("waits for a reader that moves, however long", async () => {
    for (let position = 50n; position < 100n; position++)
      expect(await after(90, { position })).toBe("ending");
  });

  test("waits for a reader that reads again after its connection was lost", async () => {
    expect(await after(0)).toBe("ending");
    for (let position = 10n; position < 50n; position++)
      expect(await after(90, { connection: 2, position })).toBe("ending");
  });

  test("fails when connection after connection makes no progress", async () => {
    const reasons: unknown[] = [];
    for (let connection = 1; connection <= 6; connection++)
      for (const position of [10n, 50n]) reasons.push(await after(25, { connection, position }));
    expect(reasons.at(-1)).toBe("capture_lost: the log is not being read");
  });

  test("fails when the reader has long been past its end", async () => {
    expect(await after(0)).toBe("ending");
    expect(await after(10, { position: 100n, end: 200n })).toBe("ending");
    expect(await after(59, { position: 120n })).toBe("ending");
    expect(await after(1, { position: 130n })).toBe(
      "capture_lost: its result was not stored in time",
    );
  });

  test("gets its time again when nothing can be stored: there may have been no disk space for its result", async () => {
    await after(0, { position: 100n });
    await pool.unsafe(
      `create function public.refuse() returns trigger language plpgsql as $$ begin
         raise 'no space left on device' using errcode = 'disk_full'; end $$;
       create trigger refuse before update on diorama.runs for each row execute function public.refuse()`,
    );
    try {
      await expect(after(60)).rejects.toThrow("no space left on device");
    } finally {
      await pool`drop function public.refuse() cascade`;
    }

    expect(await after(10)).toBe("ending");
    expect(await after(59)).toBe("ending");
    expect(await after(1)).toBe(`capture_lost: ${LOSSES.result_overdue}`);
  });

  test.each([
    ["log_unread", 100],
    ["result_overdue", 60],
  ] as const)("is counted as %s", async (loss, seconds) => {
    const position = loss === "result_overdue" ? 100n : 50n;
    await after(0, { position });
    expect(await after(seconds)).toBe(`capture_lost: ${LOSSES[loss]}`);

    const { values } = await metrics.runsFailed.get();
    expect(values.map(({ labels, value }) => [labels.reason, value])).toEqual([
      [`capture_${loss}`, 1],
    ]);
  });

  test("is not touched when its result is stored", async () => {
    await after(0, { position: 100n });
    await pool`update diorama.runs set status = 'completed' where run_id = ${run}`;
    expect(await after(1000)).toBe("completed");
    run = await insertEnding();
    expect(await after(1000)).toBe("ending");
  });
});
