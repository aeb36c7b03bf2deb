/**
 * `diorama intercept`: runs a command whose calls to the real services reach an environment instead.
 *
 * Clients and tools with a fixed host need no change. There are two ways: environment variables name a proxy, for clients
 * that support one; and if this process may (Linux, root), the command gets a hosts file in which the names have an
 * address of this machine.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, UsageError } from "~/commands/client";
import type { Certificates } from "~/commands/intercept/certificates";
import {
  canReplaceHosts,
  trustVariables,
  withHosts,
  writeHosts,
} from "~/commands/intercept/environment";
import { startProxy } from "~/commands/intercept/proxy";
import { startRelay } from "~/commands/intercept/relay";
import { createTargets, type Target, type Targets } from "~/commands/intercept/targets";
import { exitCodeOf } from "~/commands/signals";

export type Intercept = {
  readonly serviceUrl?: readonly string[];
  readonly token?: readonly string[];
  readonly host?: readonly string[];
  readonly via: (typeof WAYS)[number];
};
export const WAYS = ["auto", "hosts", "proxy"] as const;

/** Returns the exit code of the command. Throws UsageError. */
export async function intercept(
  command: readonly string[],
  options: Intercept,
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  const [name = ""] = command;
  if (!Bun.which(name, { PATH: env["PATH"] ?? "" }))
    throw new UsageError(`${name} is not a known command`);
  const given = targetsOf(options, env);
  const targets = createTargets(given, options.host ?? []);
  // Only this command needs the library behind it, which takes a while to load.
  const { createCertificates } = await import("~/commands/intercept/certificates");
  const certificates = createCertificates(targets.certificateNames);
  const local = options.via === "proxy" ? undefined : startLocalRelay(targets, certificates);
  if (options.via === "hosts" && !local)
    throw new UsageError(
      "--via hosts: a private hosts file needs Linux, unshare, and the right to mount and to listen on port 443",
    );
  const relay = startRelay(targets, certificates, { hostname: "127.0.0.1", port: 0 });
  const upstream = env["HTTPS_PROXY"] ?? env["https_proxy"];
  const proxy = await startProxy(
    targets,
    relay.port ?? 0,
    upstream ? new URL(upstream) : undefined,
  );
  const folder = await mkdtemp(join(tmpdir(), "diorama-intercept-"));
  try {
    const servers = given.map(({ serviceUrl }) => new URL(serviceUrl).hostname);
    const variables = await trustVariables(
      folder,
      certificates.authority,
      proxy.port,
      servers,
      env,
    );
    const hosts = local && (await writeHosts(folder, local.hostname ?? "", targets.names));
    return await run(hosts ? withHosts(hosts, command) : command, { ...env, ...variables }, signal);
  } finally {
    proxy.stop();
    await Promise.all([relay.stop(true), local?.stop(true)]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** A relay where the names of a hosts file lead to. Undefined if this process may not start one. */
function startLocalRelay(targets: Targets, certificates: Certificates) {
  if (!canReplaceHosts()) return undefined;
  // Every address of 127.0.0.0/8 is this machine. Each run has its own, so that several may run at a time.
  const [a, b] = crypto.getRandomValues(new Uint8Array(2));
  try {
    return startRelay(targets, certificates, { hostname: `127.99.${a}.${b}`, port: 443 });
  } catch {
    return undefined; // This process may not use the port.
  }
}

function targetsOf({ serviceUrl, token }: Intercept, env: Environment): Target[] {
  const urls = serviceUrl ?? [env["DIORAMA_SERVICE_URL"] ?? ""].filter(Boolean);
  if (urls.length === 0)
    throw new UsageError("--service-url or DIORAMA_SERVICE_URL says which environment to lead to");
  const tokens = token ?? [env["DIORAMA_TOKEN"] ?? env["DIORAMA_API_KEY"] ?? ""].filter(Boolean);
  if (tokens.length !== 1 && tokens.length !== urls.length)
    throw new UsageError(
      "--token, DIORAMA_TOKEN or DIORAMA_API_KEY gives one credential for all services, or --token one for each",
    );
  return urls.map((url, index) => ({ serviceUrl: url, token: tokens[index] ?? tokens[0] ?? "" }));
}

async function run(
  command: readonly string[],
  env: Environment,
  signal: AbortSignal,
): Promise<number> {
  const child = Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  await child.exited;
  signal.removeEventListener("abort", stop);
  return child.exitCode ?? exitCodeOf((child.signalCode ?? "SIGTERM") as NodeJS.Signals);
}
