/** A service's tool surface as one request sees it: its listing as ready bytes, and the tools that it may call. */
import { ACTING_USER, type ToolListing, type ToolProfile } from "~/replicas/tools";

/** The profile at the address without a name. */
export const DEFAULT_PROFILE = "vendor";

/** `read`: only the tools that write nothing. */
export type Access = "all" | "read";

/** `parts`: of the JSON of the listing, between which the user's id stands. */
type Surface = { readonly names: ReadonlySet<string>; readonly parts: readonly Uint8Array[] };

const surfaces = new WeakMap<ToolProfile, ReadonlyMap<Access, Surface>>();

const surfaceOf = (tools: readonly ToolListing[]): Surface => ({
  names: new Set(tools.map(({ name }) => name)),
  parts: JSON.stringify(tools)
    .split(ACTING_USER)
    .map((part) => Buffer.from(part)),
});

export function findSurface(profile: ToolProfile, access: Access): Surface {
  let known = surfaces.get(profile);
  if (!known) {
    const { tools, isReading } = profile;
    known = new Map([
      ["all", surfaceOf(tools)],
      ["read", surfaceOf(tools.filter(isReading))],
    ]);
    surfaces.set(profile, known);
  }
  const surface = known.get(access);
  if (!surface) throw new Error(`no surface for the access ${access}`);
  return surface;
}

/** The listing for one user. */
export function listingFor({ parts }: Surface, actor: string): Uint8Array {
  const id = Buffer.from(JSON.stringify(actor).slice(1, -1));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [id, part])));
}
