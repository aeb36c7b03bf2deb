/** An address that takes the bytes of one announced file from anyone who has it: it contains a secret. */
import type { Session } from "~/db/session";

/** `pattern`: captures the id and the secret of a path. `findAnnounced`: a file that still takes bytes. */
export function uploadAddress<Name extends string, Announced>(
  pattern: RegExp,
  findAnnounced: (
    session: Session<Name>,
    id: string,
    secret: string,
  ) => Promise<Announced | undefined>,
) {
  const find = async (session: Session<Name>, path: string) => {
    const [, id, secret] = pattern.exec(path) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const file = await findAnnounced(session, id, secret);
    return file && { id, file };
  };
  return {
    matches: (path: string) => pattern.test(path),
    /** The file of an address with the right secret. */
    find,
    /** True if the address takes a body: see Replica. */
    awaits: async (session: Session<Name>, path: string) =>
      (await find(session, path)) !== undefined,
  };
}
