/** Calls that are in progress when the counterparts of their environment begin anew. */
import { expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { CHANNEL, on, says } from "./people";

const database = useSharedDatabase();
const program = useProgram(database);
const { open, post, reset, show } = on(program);

const TIMES = 60;

test("a call from before a reset sets off nothing after it, one from after it does", async () => {
  const environment = await open([
    says("seen", {
      when: { diff_type: "added", entity: "messages", where: { text: "ready?" } },
    }),
    says("heard", { when: { diff_type: "called", entity: "chat.postMessage" } }),
  ]);
  const found = new Set<string>();
  for (let n = 0; n < TIMES; n++) {
    const resetting = Bun.sleep(n % 15).then(() => reset(environment));
    await Promise.all([post(environment, "ready?"), resetting]);
    const rows = await database.sql.unsafe<{ text: string }[]>(
      `select text from ${environment.schemaName}.messages
       where channel_id = '${CHANNEL}' and text in ('ready?', 'seen', 'heard') order by ts`,
    );
    const { counterparts } = await show(environment);
    const fired = counterparts.map((rule: { fired: number }) => rule.fired);
    found.add([...rows.map(({ text }) => text), ...fired].join(" "));
  }
  const outcomes = ["0 0", "ready? seen heard 1 1"];

  expect([...found].filter((outcome) => !outcomes.includes(outcome))).toEqual([]);
});
