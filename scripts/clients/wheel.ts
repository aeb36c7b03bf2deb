/**
 * Builds the Python client as a wheel, which is a zip archive with a list of its contents:
 * https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 *
 * Nothing is compressed and every file has the same date, so the same sources give the same bytes on every machine, and
 * no Python is needed.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const PYTHON = join(ROOT, "src/clients/python");

type Project = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly "requires-python": string;
  readonly dependencies: readonly string[];
  readonly "optional-dependencies": Record<string, readonly string[]>;
  readonly "entry-points": Record<string, Record<string, string>>;
};

const METADATA_VERSION = "2.4";

/** https://packaging.python.org/en/latest/specifications/core-metadata/ */
function metadata(project: Project, readme: string): string {
  const extras = Object.entries(project["optional-dependencies"]);
  const lines = [
    `Metadata-Version: ${METADATA_VERSION}`,
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License-Expression: ${project.license}`,
    "License-File: LICENSE",
    `Requires-Python: ${project["requires-python"]}`,
    ...project.dependencies.map((each) => `Requires-Dist: ${each}`),
    ...extras.flatMap(([extra, packages]) => [
      `Provides-Extra: ${extra}`,
      ...packages.map((each) => `Requires-Dist: ${each}; extra == "${extra}"`),
    ]),
    "Description-Content-Type: text/markdown",
  ];
  return `${lines.join("\n")}\n\n${readme}`;
}

const entryPoints = (project: Project) =>
  Object.entries(project["entry-points"])
    .map(([group, points]) =>
      [`[${group}]`, ...Object.entries(points).map(([name, at]) => `${name} = ${at}`), ""].join(
        "\n",
      ),
    )
    .join("\n");

type File = { readonly name: string; readonly bytes: Uint8Array };

const textFile = (name: string, text: string): File => ({ name, bytes: Buffer.from(text) });

/** Hash and size of each file. The list itself has neither. */
function record(files: readonly File[], name: string): File {
  const lines = files.map(({ name: file, bytes }) => {
    const hash = createHash("sha256").update(bytes).digest("base64url");
    return `${file},sha256=${hash},${bytes.length}`;
  });
  return textFile(name, `${[...lines, `${name},,`].join("\n")}\n`);
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const ZIP_VERSION = 20;
const UTF8_NAMES = 0x0800;
/** 1980-01-01, the first date of the format. */
const FIRST_DAY = 0x0021;
/** A plain file, readable by everyone and writable by its owner. */
const MODE = (0o100644 << 16) >>> 0;
const MADE_BY_UNIX = 3 << 8;

/** An archive of stored files: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function zip(files: readonly File[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const encoded = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(ZIP_VERSION, 0);
    about.writeUInt16LE(UTF8_NAMES, 2);
    about.writeUInt16LE(FIRST_DAY, 8);
    about.writeUInt32LE(Bun.hash.crc32(bytes), 10);
    about.writeUInt32LE(bytes.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(encoded.length, 22);
    const head = Buffer.concat([uint32(LOCAL_HEADER), about, encoded]);
    parts.push(head, Buffer.from(bytes));

    const place = Buffer.alloc(14);
    place.writeUInt32LE(MODE, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(uint32(CENTRAL_HEADER), uint16(MADE_BY_UNIX | ZIP_VERSION), about, place);
    directory.push(encoded);
    offset += head.length + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

const uint16 = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);

/** The package's own files, in order of name. */
async function sources(): Promise<File[]> {
  const folder = join(PYTHON, "diorama");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.py$|^py\.typed$/.test(entry.name))
    .map((entry) => relative(PYTHON, join(entry.parentPath, entry.name)))
    .toSorted();
  const files = paths.map(async (name) => ({
    name,
    bytes: await Bun.file(join(PYTHON, name)).bytes(),
  }));
  return await Promise.all(files);
}

/** Builds the wheel. Returns its path. */
export async function buildPython(destination: string): Promise<string> {
  const read = (path: string) => Bun.file(path).text();
  const { project } = Bun.TOML.parse(await read(join(PYTHON, "pyproject.toml"))) as {
    project: Project;
  };
  const info = `${project.name}-${project.version}.dist-info`;
  const files = [
    ...(await sources()),
    textFile(`${info}/METADATA`, metadata(project, await read(join(PYTHON, "README.md")))),
    textFile(
      `${info}/WHEEL`,
      "Wheel-Version: 1.0\nGenerator: diorama\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    ),
    textFile(`${info}/entry_points.txt`, entryPoints(project)),
    textFile(`${info}/licenses/LICENSE`, await read(join(ROOT, "LICENSE"))),
  ];
  const path = join(destination, `${project.name}-${project.version}-py3-none-any.whl`);
  await mkdir(destination, { recursive: true });
  await Bun.write(path, zip([...files, record(files, `${info}/RECORD`)]));
  return path;
}
