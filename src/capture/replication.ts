/** Replication connections: the library's client on a socket that is opened like every other. */
import type { Socket } from "node:net";
import { LogicalReplicationService } from "pg-logical-replication";
import { withoutTls } from "~/address";
import { type ReplicationClient, rawPlugin } from "~/capture/protocol";
import { type Plugin, startReplication } from "~/capture/slot";
import { errorCode, literal, QUERY_CANCELED, SESSION } from "~/db/connect";
import { connectable, openSocket } from "~/db/socket";

const CONNECT_TIMEOUT_MS = 5_000;
const SENDER_TIMEOUT = "15s";
const SETTINGS = {
  ...SESSION,
  wal_sender_timeout: SENDER_TIMEOUT,
  statement_timeout: "0",
  lock_timeout: "0",
};

type Emitter = { on(event: "error", listener: (error: Error) => void): void };

/**
 * The library handles errors of its client and connection only while it streams. An error before that, such as the end
 * of a new session, or after it would end the thread.
 */
class Replication extends LogicalReplicationService {
  /** Called when the client exists. */
  guard(): void {
    this.#emitters()[0]?.on("error", (error) => this.emit("error", error));
  }

  override async stop(): Promise<this> {
    const emitters = this.#emitters();
    await super.stop();
    for (const each of emitters) each.on("error", () => {});
    return this;
  }

  #emitters(): Emitter[] {
    const client = this["_client"] as unknown as (Emitter & { connection: Emitter }) | null;
    return client ? [client, client.connection] : [];
  }
}

export function createReplication(url: string, socket: Socket, name: string): Replication {
  socket.on("error", () => {});
  const service: Replication = new Replication(
    {
      connectionString: withoutTls(url),
      ssl: false,
      stream() {
        queueMicrotask(() => service.guard()); // this is called by the client's constructor
        return connectable(socket);
      },
      application_name: `diorama ${name}`,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      options: Object.entries(SETTINGS)
        .filter(([, value]) => value !== "")
        .map(([setting, value]) => `-c ${setting}=${value.replaceAll(" ", "\\ ")}`)
        .join(" "),
    },
    // The library acknowledges one byte too far, and data that it has only received; we acknowledge ourselves.
    { acknowledge: { auto: false, timeoutSeconds: 0 } },
  );
  return service;
}

/** Creating a slot waits for open transactions. */
const TRIAL_SLOT_TIMEOUT = "2s";
/** Time limit for the whole test, including the choice of a plugin. */
const TRIAL_MS = 10_000;

/**
 * Tests streaming with the plugin that `choose` returns, from a temporary slot, until something is read. Throws what
 * prevents it; transactions that the slot would have to wait for do not.
 */
export async function tryStream(url: string, choose: () => Promise<Plugin>): Promise<Plugin> {
  const service = createReplication(url, await openSocket(url), "doctor");
  const name = `diorama_trial_${crypto.randomUUID().slice(0, 8)}`;
  let plugin: Plugin = "pgoutput";
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => reject(new Error("nothing was read from the replication stream")),
    TRIAL_MS,
  );
  const begin = async (client: ReplicationClient) => {
    await client.query("IDENTIFY_SYSTEM");
    plugin = await choose();
    await client.query(`set statement_timeout = ${literal(TRIAL_SLOT_TIMEOUT)}`);
    await client.query(
      `select pg_create_logical_replication_slot(${literal(name)}, ${literal(plugin)}, true)`,
    );
    return startReplication({ name, plugin });
  };
  service.on("data", () => resolve());
  service.on("heartbeat", () => resolve());
  service.on("error", reject);
  service.subscribe(rawPlugin(begin), "").then(
    () => reject(new Error("the replication stream ended")),
    (error) => (errorCode(error) === QUERY_CANCELED ? resolve() : reject(error)),
  );
  try {
    await promise;
    return plugin;
  } finally {
    clearTimeout(timer);
    await service.destroy().catch(() => undefined);
  }
}
