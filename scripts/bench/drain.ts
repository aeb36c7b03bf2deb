/** Measures the reading of the log: by capture while it records, and by a consumer that only parses. */
import { LogicalReplicationService } from "pg-logical-replication";
import { rawPlugin } from "~/capture/protocol";
import {
  choosePlugin,
  createSlot,
  dropSlot,
  findSlot,
  publish,
  startReplication,
} from "~/capture/slot";
import { connect, inTransaction } from "~/db/connect";
import { inTurn, timed } from "./measure";
import type { Bench } from "./server";

const ROWS = 60_000;
const SLOT = "diorama_bench";

export async function drain(bench: Bench): Promise<{ ours: number[]; bare: number[] }> {
  const sql = bench.connect();
  const pool = connect(bench.databaseUrl, { max: 2, name: "bench", camel: true, patient: true });
  const plugin = await choosePlugin(pool, "auto");
  const environment = await bench.environment();
  const second = await bench.environment();
  const schema = String(environment["schemaName"]);
  if (plugin === "pgoutput") await inTransaction(pool, (tx) => publish(tx, schema));
  let batch = 0;
  const write = () =>
    sql.unsafe(
      `insert into "${schema}".reactions (channel_id, ts, name, user_id, created_at)
       select 'C' || i, '1000000000.000000', 'batch' || ${batch++}, 'U02JOHNADOE', i from generate_series(1, ${ROWS}) i`,
    );

  /** A run records the batch. The marks of another run follow it: that run ends when all of it has been read. */
  async function ours(): Promise<number[]> {
    const { runId } = await bench.platform("POST", "/startRun", {
      envId: environment["environmentId"],
    });
    await write();
    const took = await timed(async () => {
      const { runId: other } = await bench.platform("POST", "/startRun", {
        envId: second["environmentId"],
      });
      await bench.platform("POST", "/diffRun", { runId: other });
    });
    await bench.platform("POST", "/diffRun", { runId });
    return [ROWS / (took / 1000)];
  }

  async function bare(): Promise<number[]> {
    await createSlot(pool, SLOT, plugin);
    await write();
    const slot = await findSlot(pool, SLOT);
    if (!slot) throw new Error("there is no slot");
    const service = new LogicalReplicationService(
      { connectionString: bench.databaseUrl },
      { acknowledge: { auto: false, timeoutSeconds: 0 } },
    );
    let parsed = 0;
    let began = 0;
    await new Promise<void>((resolve, reject) => {
      service.on("error", reject);
      service.on("start", () => {
        began = performance.now();
      });
      service.on("data", (_lsn: string, data: Buffer) => {
        if (plugin === "wal2json") JSON.parse(data.toString());
        if (plugin === "wal2json" ? data[11] === 0x49 : data[0] === 0x49) parsed++;
        if (parsed === ROWS) resolve();
      });
      service
        .subscribe(
          rawPlugin(async () => startReplication(slot)),
          "",
        )
        .catch(reject);
    });
    const took = performance.now() - began;
    await service.destroy();
    while (!(await dropSlot(pool, SLOT, async () => true))) await Bun.sleep(20);
    return [ROWS / (took / 1000)];
  }

  const samples = await inTurn(6, { ours, bare });
  await Promise.all([sql.end(), pool.end()]);
  return samples;
}
