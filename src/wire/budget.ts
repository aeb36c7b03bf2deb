/**
 * Bounds the sum of the bytes that the server holds for its clients in one direction. Each body, message and answer has
 * a limit of its own.
 *
 * A claim without room is rejected, and does not wait: clients that wait for each other's bytes would never finish, and
 * a queue would need a bound, too.
 */
import { unavailable } from "~/errors";

/** Who holds bytes: known once a request is authenticated. */
export type Owner = { readonly keyId: string; readonly environmentId?: string | undefined };

export type Budget = ReturnType<typeof createBudget>;

/** Changes the bytes of one purpose. False if there is no room: then nothing changes. */
export type Claim = (bytes: number, owner: Owner | undefined) => boolean;

/** Bytes of each claim that do not count, so that usual calls need no room: the number of connections bounds them. */
export const UNCOUNTED = 4 * 1024;

type Share = { readonly name: string; readonly max: number };

export const noRoom = () =>
  unavailable("The server holds as many bytes for this caller, or for all, as it may");

export function createBudget(total: number) {
  const everything: Share = { name: "", max: total };
  const anonymous: Share = { name: "anonymous", max: total / 2 };
  const environmentMax = total / 4;
  const held = new Map<string, number>();

  function sharesOf(owner: Owner | undefined): readonly Share[] {
    if (!owner) return [everything, anonymous];
    const { keyId, environmentId } = owner;
    const key = { name: `key ${keyId}`, max: total / 2 };
    if (environmentId === undefined) return [everything, key];
    return [everything, key, { name: `environment ${environmentId}`, max: environmentMax }];
  }

  function add(shares: readonly Share[], bytes: number): void {
    for (const { name } of shares) {
      const sum = (held.get(name) ?? 0) + bytes;
      if (sum > 0) held.set(name, sum);
      else held.delete(name);
    }
  }

  return {
    /** Bytes that count at the moment. */
    held: () => held.get(everything.name) ?? 0,

    claim(): Claim {
      let counted = 0;
      let shares: readonly Share[] = [];
      return (bytes, owner) => {
        // What is longer than a share counts as the share: it needs to be empty, and is not rejected for ever.
        const wanted = Math.min(Math.max(0, bytes - UNCOUNTED), environmentMax);
        if (wanted === 0 && counted === 0) return true;
        const next = wanted === 0 ? [] : sharesOf(owner);
        add(shares, -counted);
        const fits = next.every(({ name, max }) => (held.get(name) ?? 0) + wanted <= max);
        if (fits) [counted, shares] = [wanted, next];
        add(shares, counted);
        return fits;
      };
    },
  };
}
