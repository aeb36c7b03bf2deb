/** The reader's thread survives every end of its connection. */
import { expect, test } from "bun:test";
import { record, startCapture } from "../support/capture";
import { useDatabase } from "../support/database";
import { type Link, startProxy } from "../support/proxy";

const database = useDatabase();
const ROUNDS = 6;

test.each([
  ["terminated as soon as it is connected", (link: Link) => link.terminate(), 1],
  ["cut as soon as it is opened", (link: Link) => link.cut(), 1],
  ["cut at the first answer", (link: Link) => link.cutAtAnswer(), 1],
  ["cut while it logs in", (link: Link) => link.cut(), 2],
  ["terminated while it takes over", (link: Link) => link.terminate(), 4],
  ["cut while it takes over", (link: Link) => link.cutAtAnswer(), 5],
])("a walsender is %s repeatedly", async (_how, end, message) => {
  const lines: string[] = [];
  const sent = new WeakMap<Link, number>();
  let ended = 0;
  const proxy = await startProxy(database.url, (link) => {
    if (!link.replication) return;
    sent.set(link, (sent.get(link) ?? 0) + 1);
    if (ended === ROUNDS || sent.get(link) !== message) return;
    ended++;
    end(link);
  });
  const server = await startCapture({ url: proxy.url }, "pgoutput", {
    write: (line) => lines.push(line),
  });
  try {
    const schema = `env_${crypto.randomUUID().slice(0, 8)}`;
    await database.sql.unsafe(
      `create schema "${schema}"; create table "${schema}".things (id int primary key); alter table "${schema}".things replica identity full`,
    );
    const run = await record(server.pool, server.capture, schema, { things: ["id"] });
    await database.sql.unsafe(`insert into "${schema}".things values (1)`);

    expect((await run.end()).diff?.inserts).toHaveLength(1);
    expect(ended).toBe(ROUNDS);
    expect(lines).toEqual([]);
  } finally {
    await server.stop();
    proxy.stop();
  }
});
