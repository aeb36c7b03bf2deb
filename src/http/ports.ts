/** The addresses that a server listens on, PORT and ADMIN_PORT. */
import { type Config, ConfigError } from "~/config";
import { errorCode } from "~/db/connect";

const SETTINGS = ["PORT", "ADMIN_PORT"] as const;
type Setting = (typeof SETTINGS)[number];
type Addresses = Pick<Config, "HOST" | Setting>;

/** Why an address is not available, in a sentence. */
function problemOf(error: unknown, setting: Setting, { HOST, [setting]: port }: Addresses) {
  switch (errorCode(error)) {
    case "EADDRINUSE":
      return `${setting} is ${port}, which another program uses on ${HOST}`;
    case "EACCES":
      return `${setting} is ${port}, which this user may not listen on`;
    case "EADDRNOTAVAIL":
      return `HOST is ${HOST}, which is not an address of this machine`;
    default:
      return undefined;
  }
}

/** Starts listening with `start`. Throws ConfigError when the address is not available. */
export async function listening<T>(
  setting: Setting,
  addresses: Addresses,
  start: () => T | Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const problem = problemOf(error, setting, addresses);
    throw problem === undefined ? error : new ConfigError([problem]);
  }
}

/**
 * Tries to listen on each address and stops immediately, before a start does work that would be for nothing. Throws
 * ConfigError with every problem. Another program can still take one before the server does.
 */
export function requireFreePorts(addresses: Addresses): void {
  const problems = new Set<string>();
  const held = SETTINGS.flatMap((setting) => {
    const port = addresses[setting];
    if (!port) return [];
    try {
      return [Bun.listen({ hostname: addresses.HOST, port, socket: { data() {} } })];
    } catch (error) {
      const problem = problemOf(error, setting, addresses);
      if (problem === undefined) throw error;
      problems.add(problem);
      return [];
    }
  });
  for (const listener of held) listener.stop(true);
  if (problems.size > 0) throw new ConfigError([...problems]);
}
