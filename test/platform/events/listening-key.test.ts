/** A connection that takes the requests to an app, and the key that opened it. */
import { expect, test } from "bun:test";
import { connect } from "~/db/connect";
import { createKey } from "~/platform/keys/keys";
import { revokeKey } from "~/platform/keys/store";
import { useDatabase } from "../../support/database";
import { expectStatus, useProgram } from "../../support/program";
import { APP } from "../../support/socket-mode";

const database = useDatabase();
const production = useProgram(database, { ENVIRONMENT: "production", HOST: "127.0.0.1" });

test("ends when the key is revoked, and that of another key goes on", async () => {
  const pool = connect(database.url, { max: 1, name: "test", camel: true });
  const make = () =>
    createKey(pool, { userId: "someone", name: "", plan: "free", expiresInDays: null });
  const [first, second] = [await make(), await make()];
  const headers = { "X-API-Key": first.key };
  const { environmentId } = await production.environment({}, headers);
  const apps = [{ app: APP, events: ["message.channels"] }];
  const put = await production.call("PUT", `/env/${environmentId}/events`, { apps }, headers);
  expectStatus(put, 200);
  const open = async (key: string) => {
    const address = `${production.url.replace("http", "ws")}/api/platform/env/${environmentId}/listen?app=${APP}`;
    const socket = new WebSocket(address, { headers: { "X-API-Key": key } } as never);
    const closed = Promise.withResolvers<CloseEvent>();
    socket.onclose = closed.resolve;
    await new Promise((resolve) => {
      socket.onmessage = resolve;
    });
    return { socket, closed: closed.promise };
  };
  const [revoked, other] = [await open(first.key), await open(second.key)];

  await revokeKey(pool, first.keyId);
  const { code, reason } = await revoked.closed;

  expect([code, reason]).toEqual([1008, "the key is no longer valid"]);
  await Bun.sleep(500);
  expect(other.socket.readyState).toBe(WebSocket.OPEN);
  other.socket.close();
  await pool.end();
});
