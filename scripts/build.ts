/**
 * Builds the binary: `bun run build` for this machine, `bun run build --all` for every platform, into dist/.
 *
 * By default a compiled Bun program reads `.env` and `bunfig.toml` of its working directory, and runs preloads from the
 * latter; both are disabled. The build also writes the licences of the contents, which the binaries embed, and a bill of
 * materials (CycloneDX). The packages of the clients and the console are built first, and embedded.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../package.json";
import { bundleConsole } from "../src/site/console-bundle";
import { ENTRIES, writeContents } from "./bundled";
import { buildClients, CLIENTS } from "./clients";

const ROOT = join(import.meta.dir, "..");
const TARGETS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "windows-x64"] as const;

const here = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const all = process.argv.includes("--all");

/** Nothing where there is no git, as in the image that the Dockerfile builds in. */
async function git(...args: string[]): Promise<string> {
  if (!Bun.which("git")) return "";
  const child = Bun.spawn(["git", ...args], { cwd: ROOT, stderr: "ignore" });
  const text = await new Response(child.stdout).text();
  return (await child.exited) === 0 ? text.trim() : "";
}

/** DIORAMA_VERSION, else the tag of this commit, else the package's version and the commit. */
export async function stamp(): Promise<string> {
  const given = process.env["DIORAMA_VERSION"];
  if (given) return given;
  const tag = await git("describe", "--tags", "--exact-match");
  if (tag) return tag.replace(/^v/, "");
  const commit = await git("rev-parse", "--short", "HEAD");
  return commit ? `${version}+${commit}` : version;
}

/** Returns the binary's path. */
export async function build(target: string, name = `diorama-${target}`): Promise<string> {
  const file = join(ROOT, "dist", target.startsWith("windows") ? `${name}.exe` : name);
  await Bun.write(join(ROOT, "dist/console.txt"), JSON.stringify(await bundleConsole()));
  const child = Bun.spawn(
    [
      ...[
        "bun",
        "build",
        "--compile",
        "--minify-syntax",
        "--minify-whitespace",
        // Modules are loaded in half the time. Without the format, it would be CommonJS, which has no top-level await.
        "--bytecode",
        "--format=esm",
        "--sourcemap",
        `--target=bun-${target}`,
        "--asset-naming=[name].[ext]",
        // Otherwise the common folder of all files, and threads are not found: see src/thread.ts.
        "--root=src",
      ],
      ...["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
      ...["--define", `DIORAMA_VERSION=${JSON.stringify(await stamp())}`],
      ...["--outfile", file, ...ENTRIES, ...(await clientPackages())],
    ],
    { cwd: ROOT, stdout: "inherit", stderr: "inherit" },
  );
  if ((await child.exited) !== 0) throw new Error(`build for ${target} failed`);
  return file;
}

/** The packages that a server serves at `/clients/`. Builds them if there are none. */
async function clientPackages(): Promise<string[]> {
  if (!existsSync(CLIENTS)) await buildClients();
  const names = await readdir(CLIENTS);
  return names.toSorted().map((name) => join(CLIENTS, name));
}

if (import.meta.main) {
  await buildClients();
  await writeContents(await stamp());
  if (all) for (const target of TARGETS) console.log(await build(target));
  else console.log(await build(here, "diorama"));
}
