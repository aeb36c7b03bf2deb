/** DATABASE_URL as libpq reads it, in the one form that both drivers understand. */

/** Parts of the URL that libpq also takes as parameters, which then win. */
const PARTS = [
  ["port", "port"],
  ["user", "username"],
  ["password", "password"],
  ["dbname", "pathname"],
] as const;
/** libpq ignores these on a socket: nobody can listen in on it. */
const TLS_PARAMETERS = ["sslmode", "sslrootcert"];

/**
 * The same address with every part in its place: the directory of a Unix socket stands, percent-encoded, where a host
 * does. `user` is for a URL without one. Undefined when host, database or user is missing.
 */
export function normalizeAddress(text: string, user?: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return undefined;
  // `user@/database?host=/…` is common, but to the URL standard a user without a host is an error.
  const hostless = /^[a-z]+:\/\/[^/?#]*@(?=[:/])/.exec(text)?.[0];
  const whole = hostless ? text.replace(hostless, `${hostless}localhost`) : text;
  if (!URL.canParse(whole)) return undefined;

  const url = new URL(whole);
  const take = (name: string) => {
    const value = url.searchParams.get(name);
    if (value !== null) url.searchParams.delete(name);
    return value;
  };
  const host = take("host");
  if (hostless && !host) return undefined;
  if (host) url.hostname = host.startsWith("/") ? encodeURIComponent(host) : host;
  for (const [parameter, part] of PARTS) {
    const value = take(parameter);
    if (value !== null) url[part] = value;
    if (part === "port" && value !== null && url.port !== value) return undefined;
  }
  if (url.username === "" && user) url.username = user;
  if (socketOf(url.href)) for (const name of TLS_PARAMETERS) take(name);
  const complete = url.hostname !== "" && url.username !== "" && url.pathname.length > 1;
  return complete ? url.href : undefined;
}

/** The directory of the Unix socket that a URL leads to; undefined when it leads to a host. */
export function socketOf(url: string): string | undefined {
  const host = decodeURIComponent(new URL(url).hostname);
  return host.startsWith("/") ? host : undefined;
}
