/**
 * The packages of the clients, to install from this server: a page that lists them, and the files.
 *
 * The build embeds them in the binary. A server from source has those that `bun run clients` has built.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pageOf } from "~/docs/site";
import { ApiError } from "~/errors";

const PAGE = "/clients";
const PACKAGE = /^diorama-[\w.-]+\.(?:whl|tgz)$/;
/** `bun run clients` builds them here. In the binary there is no such folder. */
const BUILT = join(import.meta.dir, "../../dist/clients");

const INSTALL: Record<string, (url: string) => string> = {
  whl: (url) => `pip install ${url}`,
  tgz: (url) => `npm install ${url}`,
};

export const isClients = (pathname: string) => pathname === PAGE || pathname.startsWith(`${PAGE}/`);

/** By name, in its order. */
async function packages(): Promise<Map<string, Blob>> {
  // The type lacks the name.
  const embedded = (Bun.embeddedFiles as readonly (Blob & { readonly name?: string })[])
    .map((file) => [file.name ?? "", file] as const)
    .filter(([name]) => PACKAGE.test(name));
  if (embedded.length > 0) return new Map(embedded.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const names = await readdir(BUILT).catch(() => []);
  const files = names.filter((name) => PACKAGE.test(name)).toSorted();
  return new Map(files.map((name) => [name, Bun.file(join(BUILT, name))]));
}

/** Serves the list at `/clients/`, or a package. `base`: the address that the caller used. */
export async function answerClients(pathname: string, base: string): Promise<Response> {
  return await answerFrom(await packages(), pathname, base);
}

export async function answerFrom(
  found: ReadonlyMap<string, Blob>,
  pathname: string,
  base: string,
): Promise<Response> {
  const name = pathname.slice(PAGE.length + 1);
  if (name === "")
    return new Response(list([...found.keys()], base), {
      headers: { "Content-Type": "text/html; charset=utf-8" },
    });
  const file = found.get(name);
  if (!file)
    throw new ApiError(
      "not_found",
      found.size > 0
        ? `${PAGE}/ lists the packages`
        : "There are no packages yet; `bun run clients` builds them",
    );
  const headers = { "Content-Type": "application/octet-stream", "Cache-Control": "no-cache" };
  return new Response(await file.arrayBuffer(), { headers });
}

function list(names: readonly string[], base: string): string {
  const lines =
    names.length > 0
      ? names.flatMap((name) => {
          const install = INSTALL[name.split(".").at(-1) ?? ""]?.(`${base}${PAGE}/${name}`);
          return ["", `[${name}](${PAGE}/${name})`, "", "```sh", `${install}`, "```"];
        })
      : ["", "This server runs from source. `./scripts/bun run clients` builds the packages."];
  return pageOf(PAGE, "clients", ["# Client packages", ...lines].join("\n"));
}
