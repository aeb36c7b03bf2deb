/**
 * Several servers on one database, behind a small load balancer, as processes on this machine.
 *
 *   bun run db run bun scripts/cluster.ts 3      runs until a signal; needs DATABASE_URL
 *
 * The balancer does only what is usual: it polls `/readyz` ten times a second, sends a call to the ready server with the
 * fewest calls in progress, and sends it to another one only if the connection fails.
 */
import { join } from "node:path";
import { freePort } from "./postgres";

const ROOT = join(import.meta.dir, "..");
const PROBE_MS = 100;
const PROBE_TIMEOUT_MS = 3_000;
const START_MS = 120_000;
const ATTEMPTS = 3;
/** Limit for the body of a call that waits for a server. */
const UNAVAILABLE = JSON.stringify({
  ok: false,
  error: "service_unavailable",
  detail: "No server is ready",
});

export type Servers = Awaited<ReturnType<typeof startServers>>;

type Server = {
  url: string;
  child: Bun.Subprocess;
  ready: boolean;
  /** A probe is in progress. */
  asked: boolean;
  inFlight: number;
};

export async function startServers(options: {
  count: number;
  databaseUrl: string;
  settings?: Record<string, string>;
  program?: string[];
  /** Show their log lines. */
  verbose?: boolean;
}) {
  const { count, databaseUrl, settings = {}, verbose = false } = options;
  const program = options.program ?? ["bun", join(ROOT, "src/main.ts")];
  const servers: Server[] = [];

  async function launch(index: number): Promise<void> {
    const port = await freePort();
    const child = Bun.spawn(program, {
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: "warn",
        SHUTDOWN_DELAY: "1",
        TRUST_PROXY: "true",
        ...settings,
        PORT: String(port),
      },
      stdout: verbose ? "inherit" : "ignore",
      stderr: "ignore",
    });
    const server = {
      url: `http://127.0.0.1:${port}`,
      child,
      ready: false,
      asked: false,
      inFlight: 0,
    };
    servers[index] = server;
    const deadline = performance.now() + START_MS;
    while (!server.ready) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`server ${index} did not start`);
      await Bun.sleep(PROBE_MS / 2);
      await probe(server);
    }
  }

  async function probe(server: Server): Promise<void> {
    if (server.asked) return;
    server.asked = true;
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    server.ready = await fetch(`${server.url}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    server.asked = false;
  }
  const probing = setInterval(() => {
    for (const server of servers) void probe(server);
  }, PROBE_MS);

  async function forward(request: Request): Promise<Response> {
    const { pathname, search, host } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("X-Forwarded-Host", host);
    headers.set("X-Forwarded-Proto", "http");
    const body = request.body ? await request.arrayBuffer() : null;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [server] = servers.filter(({ ready }) => ready).sort((a, b) => a.inFlight - b.inFlight);
      if (!server) break;
      server.inFlight++;
      try {
        return await fetch(server.url + pathname + search, {
          method: request.method,
          headers,
          body,
          redirect: "manual",
          decompress: false, // headers are passed on unchanged
        });
      } catch (error) {
        // Only a call that was certainly not received may be repeated.
        if ((error as { code?: string }).code !== "ConnectionRefused") throw error;
        server.ready = false;
      } finally {
        server.inFlight--;
      }
    }
    return new Response(UNAVAILABLE, {
      status: 503,
      headers: { "Content-Type": "application/json", "Retry-After": "1" },
    });
  }

  const balancer = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 120,
    async fetch(request) {
      try {
        return await forward(request);
      } catch (error) {
        return new Response(String((error as { code?: string }).code), { status: 502 });
      }
    },
  });

  const end = async (index: number, signal: NodeJS.Signals) => {
    const server = servers[index];
    server?.child.kill(signal);
    return await server?.child.exited;
  };

  // The first one migrates and seeds for the others.
  for (let index = 0; index < count; index++) await launch(index);

  return {
    url: `http://127.0.0.1:${balancer.port}`,
    /** URLs of the single servers. */
    urls: () => servers.map(({ url }) => url),
    /** Replaces the servers one at a time, like a deployment. */
    async restartAll(): Promise<(number | undefined)[]> {
      const codes: (number | undefined)[] = [];
      for (let index = 0; index < count; index++) {
        codes.push(await end(index, "SIGTERM"));
        await launch(index);
      }
      return codes;
    },
    kill: (index: number) => end(index, "SIGKILL"),
    launch,
    async stop(): Promise<void> {
      clearInterval(probing);
      await Promise.all(servers.map((_, index) => end(index, "SIGTERM")));
      await balancer.stop(true);
    },
  };
}

if (import.meta.main) {
  const databaseUrl = process.env["DATABASE_URL"];
  if (!databaseUrl) throw new Error("DATABASE_URL is not set; see bun run db");
  const count = Number(process.argv[2] ?? 2);
  const servers = await startServers({ count, databaseUrl, verbose: true });
  console.log(`${servers.url} in front of ${servers.urls().join(", ")}`);
  const stop = () => void servers.stop().then(() => process.exit(0));
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}
