/** The position that a reader reports: runs that have ended wait for it. */
import { beforeAll, expect, test } from "bun:test";
import { formatLsn, type Lsn, parseLsn } from "~/capture/change";
import type { Recorder } from "~/capture/recorder";
import type { Records } from "~/capture/records";
import { createRetention } from "~/capture/retention";
import { connect, type Pool } from "~/db/connect";
import { createLog } from "~/log";
import { useDatabase } from "../support/database";

const database = useDatabase();
let pool: Pool;

beforeAll(() => {
  pool = connect(database.url, { max: 1, name: "test", camel: true });
  database.beforeDrop.push(() => pool.end());
});

const endOfLog = async () => {
  const [row] = await database.sql`select pg_current_wal_lsn()::text as lsn`;
  return parseLsn(row?.["lsn"]);
};
/** Much less log than counts as a backlog. */
const write = () => database.sql`select pg_logical_emit_message(true, 'diorama_test', 'x')`;

test("a reader that stays inside a transaction is not taken for one that has read everything", async () => {
  let position: Lsn = await endOfLog();
  const reported: (string | null)[] = [];
  const retention = createRetention({
    recorder: { safe: position, held: [] } as unknown as Recorder,
    records: {
      leadership: { setReadTo: async (_sql, _epoch, lsn) => reported.push(lsn) },
    } as Pick<Records, "leadership"> as Records,
    pool,
    epoch: "1",
    log: createLog({ level: "error", write: () => {} }),
    emit: () => {},
    walBudgetBytes: 2 ** 40,
    received: () => position,
    sendStatus: () => {},
  });
  const stuck = formatLsn(position);
  await write();

  await retention.check();
  await retention.check();
  expect(reported).toEqual([stuck, stuck]);

  position = await endOfLog();
  await retention.check();
  expect(reported).toEqual([stuck, stuck, null]);

  await write();
  await retention.check();
  await retention.check();
  expect(reported).toEqual([stuck, stuck, null, formatLsn(position)]);
});
