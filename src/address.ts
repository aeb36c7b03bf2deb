/** DATABASE_URL as libpq reads it, in the one form that both drivers understand. */

/** Parts of the URL that libpq also accepts as parameters; the parameters take precedence. */
const PARTS = [
  ["port", "port"],
  ["user", "username"],
  ["password", "password"],
  ["dbname", "pathname"],
] as const;

/** libpq's modes of encryption, from none to a verified server name. */
const TLS_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type Tls = {
  readonly mode: (typeof TLS_MODES)[number];
  /** A file of the authorities to trust, or `system`. */
  readonly rootCert: string | undefined;
  /** Files of the client's certificate and its key. */
  readonly cert: string | undefined;
  readonly key: string | undefined;
};

/** libpq's parameters for encryption, with the supported values. The last three have no effect with them. */
const TLS_PARAMETERS: { readonly [name: string]: RegExp } = {
  sslmode: new RegExp(`^(${TLS_MODES.join("|")})$`),
  sslrootcert: /./,
  sslcert: /./,
  sslkey: /./,
  sslnegotiation: /^postgres$/,
  channel_binding: /^(disable|prefer)$/,
  gssencmode: /^(disable|prefer)$/,
};
const UNSUPPORTED = /^ssl/;

/** By the names of libpq's parameters. */
type Defaults = { readonly [parameter: string]: string | undefined };

/**
 * The same address in a normal form: the directory of a Unix socket is the percent-encoded host. `defaults` fill in
 * missing parts. Undefined when host, database or user is missing.
 */
export function normalizeAddress(given: string, defaults: Defaults = {}): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(given)) return undefined;
  const { text, others } = firstOf(given);
  // `user@/database?host=/…` is common, but the URL standard rejects a user without a host.
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
  if (url.username === "" && defaults["user"]) url.username = defaults["user"];
  for (const name of Object.keys(TLS_PARAMETERS)) {
    const value = take(name) ?? defaults[name];
    // libpq ignores these on a socket, which cannot be intercepted.
    if (value && !socketOf(url.href)) url.searchParams.set(name, value);
  }
  const session = take("target_session_attrs") ?? "any";
  if (!PRIMARY.includes(session) || url.searchParams.has(OTHERS)) return undefined;
  for (const other of others) {
    if (!/^[^:]+(:\d+)?$|^\[[^\]]+\](:\d+)?$/.test(other)) return undefined;
    if (!URL.canParse(`postgres://${other}/`)) return undefined;
    url.searchParams.append(OTHERS, other);
  }
  const complete = url.hostname !== "" && url.username !== "" && url.pathname.length > 1;
  return complete ? url.href : undefined;
}

/** Parameter of the normal form: further hosts, each with its port. */
const OTHERS = "other_host";
/** The sessions that are wanted, in libpq's words: only the primary takes writes. */
const PRIMARY: readonly string[] = ["read-write", "primary", "any"];
const HOSTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]+)/;

/** Splits `user@first:5432,second:5433/database` into the address with the first host, and the other hosts. */
function firstOf(text: string): { readonly text: string; readonly others: readonly string[] } {
  const [whole = "", begin = "", hosts = ""] = HOSTS.exec(text) ?? [];
  const [first = "", ...others] = hosts.split(",");
  return { text: begin + first + text.slice(whole.length), others };
}

/** The addresses of a URL, each with one host. */
export function placesOf(text: string): readonly string[] {
  const url = new URL(text);
  const others = url.searchParams.getAll(OTHERS);
  if (others.length === 0) return [text];
  url.searchParams.delete(OTHERS);
  return [url.host, ...others].map((host) => {
    const place = new URL(url);
    place.port = "";
    place.host = host;
    return place.href;
  });
}

/** The directory of the Unix socket that a URL leads to; undefined when it leads to a host. */
export function socketOf(url: string): string | undefined {
  const host = decodeURIComponent(new URL(url).hostname);
  return host.startsWith("/") ? host : undefined;
}

/** The requirement that a URL's encryption parameters miss; undefined when they are valid. */
export function tlsProblem(url: string): string | undefined {
  for (const [name, value] of new URL(url).searchParams) {
    const known = TLS_PARAMETERS[name];
    if (known ? known.test(value) : !UNSUPPORTED.test(name)) continue;
    if (name === "sslmode") return `sslmode as one of ${TLS_MODES.join(", ")}`;
    return `a URL without ${known ? `${name}=${value}` : name}, which is not supported`;
  }
  const { mode, rootCert, cert, key } = tlsOf(url);
  if (mode === "verify-ca" && !rootCert)
    return "sslrootcert beside sslmode=verify-ca: the file of the authorities to trust";
  if (rootCert === "system" && mode !== "verify-full")
    return "sslmode=verify-full beside sslrootcert=system: anyone can get a certificate of a public authority";
  if ((cert === undefined) !== (key === undefined)) return "sslcert and sslkey together";
  return undefined;
}

/** The encryption that a URL requests. */
export function tlsOf(url: string): Tls {
  const { searchParams } = new URL(url);
  const read = (name: string) => searchParams.get(name) ?? undefined;
  const rootCert = read("sslrootcert");
  const mode = read("sslmode") ?? (rootCert === "system" ? "verify-full" : "prefer");
  return {
    mode: TLS_MODES.find((known) => known === mode) ?? "verify-full",
    rootCert,
    cert: read("sslcert"),
    key: read("sslkey"),
  };
}

/** The URL for a driver whose socket is already encrypted. */
export function withoutTls(text: string): string {
  const url = new URL(text);
  for (const name of [...Object.keys(TLS_PARAMETERS), OTHERS]) url.searchParams.delete(name);
  return url.href;
}
