/**
 * Builds the clients as packages that install without a registry: `bun run clients`, into dist/clients.
 *
 *   diorama-VERSION.tgz                     for npm, pnpm, yarn and bun
 *   diorama-VERSION-py3-none-any.whl        for pip and uv
 */
import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../package.json";
import { buildPython } from "./clients/wheel";

const ROOT = join(import.meta.dir, "..");
/** Where the packages are built; a server from source serves them. */
export const CLIENTS = join(ROOT, "dist/clients");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const TYPESCRIPT = join(ROOT, "src/clients/typescript");

/** Each is a module of its own, for `import` and for `require`. */
const ENTRIES = { ".": "index", "./testing": "testing", "./vitest": "vitest", "./jest": "jest" };
const OPTIONAL = [
  "@googleapis/calendar",
  "@googleapis/gmail",
  "@jest/globals",
  "@linear/sdk",
  "@slack/web-api",
  "vitest",
];

const MANIFEST = {
  name: "diorama",
  version,
  description: "Client of Diorama: disposable replicas of the services that AI agents act on",
  license: "MIT",
  type: "module",
  exports: Object.fromEntries(
    Object.entries(ENTRIES).map(([path, name]) => [
      path,
      {
        import: { types: `./${name}.d.ts`, default: `./${name}.js` },
        require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
      },
    ]),
  ),
  engines: { node: ">=20" },
  peerDependencies: Object.fromEntries(OPTIONAL.map((name) => [name, "*"])),
  peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((name) => [name, { optional: true }])),
};

async function run(cwd: string, ...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed: ${output}`);
}

/** Types for every module resolution: relative imports get their extension, optional packages may be missing. */
const portable = (declarations: string) =>
  declarations
    .replace(/from "(\.\/[a-z-]+)"/g, 'from "$1.js"')
    .replace(
      /^import .*"@(?:slack|linear|googleapis)\/.*$/gm,
      "// @ts-ignore: an optional package\n$&",
    );

/** One entry, which shares the other ones with those who import them. */
async function bundle(name: string, folder: string, format: "esm" | "cjs"): Promise<void> {
  const extension = format === "esm" ? "js" : "cjs";
  const path = join(folder, `${name}.${extension}`);
  const others = Object.values(ENTRIES).filter((other) => other !== name);
  await run(
    ROOT,
    ...["bun", "build", join(TYPESCRIPT, `${name}.ts`), "--target", "node", "--format", format],
    ...[...others.map((other) => `./${other}`), ...OPTIONAL].flatMap((other) => [
      "--external",
      other,
    ]),
    ...["--outfile", path],
  );
  const text = await Bun.file(path).text();
  await Bun.write(path, text.replace(/"\.\/(index|testing)"/g, `"./$1.${extension}"`));
}

/** Builds the npm package. Returns its path. */
export async function buildTypeScript(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-npm-"));
  try {
    await Bun.write(join(folder, "package.json"), JSON.stringify(MANIFEST, null, 2));
    await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
    await cp(join(TYPESCRIPT, "README.md"), join(folder, "README.md"));
    for (const name of Object.values(ENTRIES)) {
      await bundle(name, folder, "esm");
      await bundle(name, folder, "cjs");
    }
    await run(ROOT, TSC, "--project", join(TYPESCRIPT, "tsconfig.json"), "--outDir", folder);
    for (const name of await readdir(folder))
      if (name.endsWith(".d.ts")) {
        const path = join(folder, name);
        const text = portable(await Bun.file(path).text());
        await Bun.write(path, text);
        await Bun.write(
          path.replace(/ts$/, "cts"),
          text.replace(/from "(\.\/[a-z-]+)\.js"/g, 'from "$1.cjs"'),
        );
      }
    await mkdir(destination, { recursive: true });
    await run(folder, "bun", "pm", "pack", "--quiet", "--destination", destination);
    return join(destination, `diorama-${version}.tgz`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Builds the packages, in place of earlier ones. Returns their paths. */
export async function buildClients(): Promise<string[]> {
  await rm(CLIENTS, { recursive: true, force: true });
  return await Promise.all([buildTypeScript(CLIENTS), buildPython(CLIENTS)]);
}

if (import.meta.main) console.log((await buildClients()).join("\n"));
