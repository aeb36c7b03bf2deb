/** Finds the primary among the hosts of DATABASE_URL, as libpq does for `target_session_attrs=read-write`. */
import type { Socket } from "node:net";
import { withoutTls } from "~/address";
import { openDriver } from "~/db/driver";

type Open = (place: string) => Promise<Socket>;

/** Opening a session has found it this long ago at most: pools open theirs at the same time. */
const FOUND_MS = 500;
const CONNECT_TIMEOUT_SECONDS = 5;
const finding = new Map<string, { readonly at: number; readonly place: Promise<string> }>();

/** A standby, or one whose promotion is in progress. The driver tries again, as after a lost connection. */
class NoPrimary extends Error {
  readonly code = "CONNECT_NO_PRIMARY";
}

/** Throws if the server does not take writes, or does not answer. */
async function requirePrimary(place: string, open: Open): Promise<string> {
  const socket = await open(place);
  const sql = openDriver(withoutTls(place), {
    max: 1,
    socket: async () => socket,
    ssl: false,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    onnotice: () => {},
  });
  try {
    const [row] = await sql`select pg_is_in_recovery() as waits`;
    if (row?.["waits"] !== false) throw new NoPrimary("the server is a standby");
    return place;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

async function find(places: readonly string[], open: Open): Promise<string> {
  const looks = places.map((place) => requirePrimary(place, open));
  return await Promise.any(looks).catch(({ errors }: AggregateError) => {
    const reason = errors.find((error) => !(error instanceof NoPrimary));
    throw reason ?? new NoPrimary("none of the servers is the primary");
  });
}

/** Returns the address of the primary, whichever it is at the moment. Callers at the same time share the search. */
export async function primaryOf(
  url: string,
  places: readonly string[],
  open: Open,
): Promise<string> {
  const known = finding.get(url);
  if (known && performance.now() - known.at < FOUND_MS) return await known.place;
  const place = find(places, open);
  finding.set(url, { at: performance.now(), place });
  place.catch(() => finding.delete(url));
  return await place;
}
