/**
 * Lists the contents of the binary: the bundled packages and the runtime. Writes them as the text of
 * `diorama licenses` and as a bill of materials in CycloneDX.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patchedDependencies } from "../package.json";
import { buildConsole } from "../src/site/console-bundle";

const ROOT = join(import.meta.dir, "..");
/** Entry points of `bun build`. */
export const ENTRIES = [
  "src/main.ts",
  "src/platform/runs/worker.ts",
  "src/evaluation/worker.ts",
  "src/evaluation/audit/worker.ts",
];

export type Package = {
  readonly name: string;
  readonly version: string;
  /** SPDX. */
  readonly license: string;
  /** The text in the package. */
  readonly text: string;
  /** SHA-512 of what the registry serves, in hex; from the lock file. */
  readonly sha512: string;
  readonly dependencies: readonly string[];
};

const RUNTIME = {
  name: "bun",
  version: Bun.version,
  license: "MIT",
  text: `Copyright (c) Jarred Sumner and contributors. Bun is MIT-licensed. It links JavaScriptCore and WebKit (LGPL-2.0-or-later)
statically, whose sources, with how to build and relink them, are at https://github.com/oven-sh/webkit, and BoringSSL, brotli, c-ares,
libarchive, libdeflate, lol-html, mimalloc, simdutf, SQLite, tinycc, uSockets, uWebSockets, zlib and zstd under their own licences:
https://bun.com/docs/project/licensing`,
} as const;

/** Licences that do not require a copy of their text. */
const WITHOUT_TEXT: Record<string, string> = {
  Unlicense: "Released into the public domain: https://unlicense.org",
};

/** Copyright lines of MIT packages without a licence file, by scope. */
const COPYRIGHT: Record<string, string> = {
  // It has no notice; this is the author of its package.json.
  "@bomb.sh": "Copyright (c) Bombshell Authors (https://github.com/bombshell-dev)",
  "@graphql-tools": "Copyright (c) 2020 The Guild, Inc.",
  "@whatwg-node": "Copyright (c) 2023 Arda TANRIKULU",
};

const mit = (copyright: string) => `MIT License

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Creates the files that only a build writes: the sources import them. */
async function createMissing(): Promise<void> {
  for (const name of ["licenses.txt", "console.txt"]) {
    const file = join(ROOT, "dist", name);
    if (!existsSync(file)) await Bun.write(file, "");
  }
}

/** Packages in order of name. Throws if a licence cannot be found. */
export async function listPackages(): Promise<Package[]> {
  const folder = await mkdtemp(join(tmpdir(), "diorama-contents-"));
  try {
    await createMissing();
    const meta = join(folder, "meta.json");
    const build = ["build", "--target=bun", `--outdir=${folder}`, `--metafile=${meta}`, ...ENTRIES];
    const child = Bun.spawn(["bun", ...build], { cwd: ROOT, stdout: "ignore", stderr: "inherit" });
    if ((await child.exited) !== 0) throw new Error("the bundle could not be made");
    const { outputs } = (await Bun.file(meta).json()) as {
      outputs: Record<string, { inputs: Record<string, unknown> }>;
    };
    const { metafile } = await buildConsole();
    const paths = [
      ...Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)),
      ...Object.keys(metafile?.inputs ?? {}),
    ];
    const places = new Set(
      paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []),
    );
    const packages = await Promise.all([...places].map((place) => describe(join(ROOT, place))));
    return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function describe(folder: string): Promise<Package> {
  const about = await Bun.file(join(folder, "package.json")).json();
  const { name, version, dependencies = {} } = about;
  const license = chosen(about.license);
  if (typeof license !== "string") throw new Error(`${name} does not name its licence`);
  const names = Object.keys(dependencies);
  const text = WITHOUT_TEXT[license] ?? (await licenseText(folder, name, license));
  return { name, version, license, text, sha512: await hashOf(name, version), dependencies: names };
}

/** The first of alternative licences (`(BSD-3-Clause OR GPL-2.0)`). */
const chosen = (license: unknown) =>
  typeof license === "string" ? license.replace(/^\((\S+) OR .*\)$/, "$1") : undefined;

async function licenseText(folder: string, name: string, license: string): Promise<string> {
  const files = readdirSync(folder);
  const file = files.find((each) => /^((un)?licen[sc]e|copying)/i.test(each));
  if (file) return (await Bun.file(join(folder, file)).text()).trim();
  const readme = files.find((each) => /^readme/i.test(each));
  const about = readme ? await Bun.file(join(folder, readme)).text() : "";
  const [, section] = /^#+ *licen[sc]e[^\n]*\n([\s\S]+?)(?=\n#|$(?![\s\S]))/im.exec(about) ?? [];
  const copyright = COPYRIGHT[name.split("/")[0] ?? ""];
  if (!section && copyright && license === "MIT") return mit(copyright);
  if (!section) throw new Error(`${name} comes without the text of its licence`);
  return section.trim();
}

async function hashOf(name: string, version: string): Promise<string> {
  const lock = Bun.JSONC.parse(await Bun.file(join(ROOT, "bun.lock")).text()) as {
    packages: Record<string, unknown[]>;
  };
  const entry = Object.values(lock.packages).find(([id]) => id === `${name}@${version}`);
  const integrity = entry?.at(-1);
  if (typeof integrity !== "string" || !integrity.startsWith("sha512-"))
    throw new Error(`bun.lock has no SHA-512 of ${name}@${version}`);
  return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}

const RULE = "─".repeat(80);

export const licenses = (packages: readonly Package[]): string =>
  [RUNTIME, ...packages]
    .map(({ name, version, license, text }) => `${name} ${version}: ${license}\n${RULE}\n${text}\n`)
    .join("\n");

const purl = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** Deterministic: the same packages give the same document. */
export function billOfMaterials(packages: readonly Package[], version: string): object {
  const own = `diorama@${version}`;
  const runtime = `pkg:github/oven-sh/bun@bun-v${RUNTIME.version}`;
  const byName = new Map(packages.map((each) => [each.name, each]));
  const components = packages.map((each) => ({
    type: "library",
    "bom-ref": purl(each),
    name: each.name,
    version: each.version,
    purl: purl(each),
    licenses: [{ license: { id: each.license } }],
    hashes: [{ alg: "SHA-512", content: each.sha512 }],
    ...(`${each.name}@${each.version}` in patchedDependencies && {
      pedigree: { patches: [{ type: "unofficial" }], notes: "see scripts/patches/README.md" },
    }),
  }));
  const digest = createHash("sha256")
    .update(JSON.stringify([own, components]))
    .digest("hex");
  const id = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-5$3-8$4-$5");
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name: "diorama",
        version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: [
      {
        type: "platform",
        "bom-ref": runtime,
        name: RUNTIME.name,
        version: RUNTIME.version,
        purl: runtime,
        licenses: [{ license: { id: RUNTIME.license } }],
      },
      ...components,
    ],
    dependencies: [
      { ref: own, dependsOn: [runtime, ...packages.map(purl)] },
      ...packages.map((each) => ({
        ref: purl(each),
        dependsOn: each.dependencies.flatMap((name) => {
          const found = byName.get(name);
          return found ? [purl(found)] : [];
        }),
      })),
    ],
  };
}

/** Writes both into dist/. Must run before the build, which embeds the licences. */
export async function writeContents(version: string): Promise<void> {
  const packages = await listPackages();
  await Bun.write(join(ROOT, "dist/licenses.txt"), licenses(packages));
  const bill = JSON.stringify(billOfMaterials(packages, version), null, 2);
  await Bun.write(join(ROOT, "dist/diorama.cdx.json"), `${bill}\n`);
}
