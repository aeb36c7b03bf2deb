/** Calls of an environment whose app receives events over a socket, beside one without apps; and how soon it has them. */
import { inTurn, latencies, type Measured, median, quantile, type Row } from "./measure";
import { type Answer, type Bench, CHANNEL } from "./server";

const CALLS = 200;
const ROUNDS = 8;
const RATE = 100;
const SECONDS = 10;
const APP = "A01AGENTONE";

/** Connects the app, acknowledges everything, and reports the texts of messages as they arrive. */
async function connect(bench: Bench, environment: Answer, received: (text: string) => void) {
  const { environmentId, environmentUrl, token } = environment as Record<string, string>;
  await bench.platform("PUT", `/env/${environmentId}/events`, {
    apps: [{ app: APP, events: ["message.channels"] }],
  });
  const answer = await fetch(`${bench.url}${environmentUrl}/apps.connections.open`, {
    method: "POST",
    headers: { Authorization: `Bearer xapp-1-${APP}-${token}` },
  });
  const { url } = (await answer.json()) as { url: string };
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    const { envelope_id, payload } = JSON.parse(String(data));
    if (!envelope_id) return opened.resolve();
    socket.send(JSON.stringify({ envelope_id }));
    received(payload.event.text);
  };
  await opened.promise;
  return socket;
}

export async function events(bench: Bench): Promise<Measured[]> {
  const [plain, observed] = [await bench.environment(), await bench.environment()];
  const arrived = new Map<string, number>();
  const socket = await connect(bench, observed, (text) => arrived.set(text, performance.now()));
  const post = (environment: Answer, text = "hello") =>
    bench.chat(environment, "chat.postMessage", { channel: CHANNEL, text });
  const take = (environment: Answer, clients: number) => () =>
    latencies(clients, CALLS, () => post(environment));
  const rows: Row[] = [];
  for (const clients of [1, 8]) {
    await take(observed, clients)();
    await take(plain, clients)();
    const samples = await inTurn(ROUNDS, {
      observed: take(observed, clients),
      plain: take(plain, clients),
    });
    rows.push({
      name: `chat.postMessage with an app on a socket, ${clients === 1 ? "1 client" : `${clients} clients`}`,
      ours: median(samples.observed),
      base: median(samples.plain),
      unit: "ms",
      comparedWith: "without apps",
      bar: clients === 1 ? { most: 1.3 } : {},
    });
  }

  // What was posted so far has arrived before the rest is measured.
  await post(observed, "last");
  for (let n = 0; n < 600 && !arrived.has("last"); n++) await Bun.sleep(100);

  const answered = new Map<string, number>();
  const calls: Promise<unknown>[] = [];
  for (let n = 0; n < RATE * SECONDS; n++) {
    const text = `event ${n}`;
    calls.push(post(observed, text).then(() => answered.set(text, performance.now())));
    await Bun.sleep(1_000 / RATE);
  }
  await Promise.all(calls);
  await Bun.sleep(1_000);
  socket.close();
  const delays = [...answered].map(
    ([text, at]) => (arrived.get(text) ?? Number.POSITIVE_INFINITY) - at,
  );
  for (const [name, q] of [
    ["median", 0.5],
    ["p99", 0.99],
  ] as const)
    rows.push({
      name: `an event at its app, about ${RATE} a second, ${name}`,
      ours: Math.max(0, quantile(delays, q)),
      base: undefined,
      unit: "ms",
      comparedWith: "after the answer of the call",
      bar: q === 0.99 ? { most: 50 } : {},
    });
  return rows;
}
