/** Connections of apps of several services on one server: each has the times of its own service. */
import { afterEach, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";
import { AGENT, JOHN } from "../../support/tracker";

const program = useProgram(useSharedDatabase());

const TRACKER_APP = "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11";
const CHAT_LATE_MS = 3_000;
const TRACKER_LATE_MS = 5_000;

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** Connects an app of the tracker, whose service waits longer for an acknowledgement. */
async function connectTracker(): Promise<void> {
  const { environmentId } = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    events: { apps: [{ app: TRACKER_APP, userId: AGENT, events: ["Issue"] }] },
  });
  const base = program.url.replace("http", "ws");
  const socket = new WebSocket(
    `${base}/api/platform/env/${environmentId}/listen?app=${TRACKER_APP}`,
  );
  open.push(socket);
  await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
}

test("an attempt is late after the time of its own service", async () => {
  await connectTracker();
  const environment = await program.environment({
    events: { apps: [{ app: APP, events: ["message.channels"] }] },
  });
  const { token } = environment.apps[0];
  const { url } = await openAddress(program.url, environment.environmentUrl, token);
  const times: number[] = [];
  const app = connectApp(url, () => {
    times.push(performance.now());
    return false;
  });
  open.push(app.socket);
  await app.greeted();

  await program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text: "hello" });
  await app.has(2);
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(CHAT_LATE_MS - 100);
  expect(second - first).toBeLessThan(TRACKER_LATE_MS);
});
