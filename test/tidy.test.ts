/** House rules that no tool checks. Each failure names the file. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { SEEDS, SUITES } from "../seeds/index";

const ROOT = join(import.meta.dir, "..");

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).flatMap((name) => {
    const path = join(folder, name);
    return statSync(join(ROOT, path)).isDirectory() ? files(path) : [path];
  });
}

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const sources = files("src").filter((file) => /\.tsx?$/.test(file));
const importsOf = (file: string) =>
  [...read(file).matchAll(/from "([^"]+)"/g)].map(([, path]) => path ?? "");

/** Lower layers first. Unlisted files are at the top: app, program, main. */
const LAYERS = [
  [
    "errors",
    "address",
    "aliases",
    "config",
    "log",
    "metrics",
    "version",
    "semaphore",
    "quota",
    "json",
    "message",
    "nearest",
    "rejections",
    "shape",
    "source",
    "thread",
  ],
  ["db"],
  ["graphql"],
  ["replicas"],
  ["capture"],
  ["evaluation"],
  ["docs"],
  ["clients"],
  ["console"],
  ["http"],
  ["platform"],
];
const TOP = LAYERS.length;

function layerOf(path: string): number {
  const first = path.split("/")[0] ?? "";
  const layer = LAYERS.findIndex((names) => names.includes(first.replace(/\.ts$/, "")));
  return layer < 0 ? TOP : layer;
}

/** In `platform`: a feature may use those before it. */
const FEATURES = [
  "keys",
  "templates",
  "faults",
  "suites",
  "environments",
  "journal",
  "runs",
  "audit",
  "feed",
  "openenv",
];
/** In a feature: a kind of file may use those before it. */
const KINDS = ["model", "store", "domain", "routes"];
/** `suite-model` is a model. */
const kindOf = (name: string) => {
  const kind = name.replace(/^.*-/, "");
  return KINDS.indexOf(KINDS.includes(kind) ? kind : "domain");
};

const inside = (file: string) => relative("src", file);
/** The path below src/ that an import leads to; undefined for packages. */
function target(file: string, path: string): string | undefined {
  if (path.startsWith("~/")) return path.slice(2);
  return path.startsWith(".") ? inside(join(file, "..", path)) : undefined;
}

test("a replica takes time and random bytes from the source of its call", () => {
  const own =
    /\b(Date\.now|new Date\(\)|randomUUID|randomBytes|Math\.random|(clock|statement)_timestamp|gen_random_uuid|current_timestamp)\b/;
  // A trigger is issued by the platform.
  const wrong = sources
    .filter((file) => file.startsWith("src/replicas/") && !file.endsWith("/triggers.ts"))
    .filter((file) => own.test(read(file)));
  expect(wrong).toEqual([]);
});

describe("imports", () => {
  test("point down", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .map((path) => target(file, path))
        .filter(
          (to) => to !== undefined && !to.startsWith("..") && layerOf(to) > layerOf(inside(file)),
        )
        .map((to) => `${file} imports ${to}, which is a layer above it`),
    );
    expect(wrong).toEqual([]);
  });

  // `import type` counts too: to a reader, it couples two modules as much.
  test("are never circular", () => {
    const bare = (file: string) => inside(file).replace(/\.tsx?$/, "");
    const known = new Set(sources.map(bare));
    const edges = sources.flatMap((file) =>
      importsOf(file)
        .map((path) => ({ from: bare(file), to: target(file, path) ?? "" }))
        .filter(({ to }) => known.has(to)),
    );
    // Edges that nothing leads to, or that lead nowhere, are in no circle. The others remain.
    let circular = edges;
    for (let count = -1; count !== circular.length; ) {
      count = circular.length;
      const [starts, ends] = [
        new Set(circular.map((e) => e.from)),
        new Set(circular.map((e) => e.to)),
      ];
      circular = circular.filter(({ from, to }) => ends.has(from) && starts.has(to));
    }
    expect(circular.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test("of a replica stay away from the others", () => {
    const wrong = sources.flatMap((file) => {
      const [, own] = /^src\/replicas\/([a-z]+)\//.exec(file) ?? [];
      return importsOf(file)
        .map((path) => /^~\/replicas\/([a-z]+)\//.exec(path)?.[1])
        .filter((other) => own !== undefined && other !== undefined && other !== own)
        .map((other) => `${file} imports the replica ${other}`);
    });
    expect(wrong).toEqual([]);
  });

  test("of a feature point from routes over the domain to the store, and to earlier features", () => {
    const place = (path: string) => {
      const [, feature, name] = /^platform\/([a-z]+)\/([a-z-]+)/.exec(path) ?? [];
      return feature && name
        ? { feature: FEATURES.indexOf(feature), kind: kindOf(name) }
        : undefined;
    };
    const wrong = sources.flatMap((file) => {
      const from = place(inside(file));
      return importsOf(file).flatMap((path) => {
        const to = place(target(file, path) ?? "");
        if (!from || !to) return [];
        const down =
          to.feature < from.feature || (to.feature === from.feature && to.kind <= from.kind);
        return down ? [] : [`${file} imports ${path}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("are written ~/ across folders of src, and ./ inside one", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter(
          (path) =>
            path.startsWith("../") &&
            !path.startsWith("../../../seeds") &&
            !path.startsWith("../package"),
        )
        .map((path) => `${file}: write ${path} as ~/${target(file, path)}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe("SQL", () => {
  const HOMES =
    /(^|\/)(store|db|graphql|capture)(\/|$)|store\.ts$|(builtin|maintenance|pool|doctor|health|seed|program)\.ts$|\/index\.ts$/;

  test("is in stores, in db/ and in the files that run the platform, nowhere else", () => {
    const wrong = sources
      .filter((file) => !HOMES.test(inside(file)))
      .filter((file) => /\b(sql|tx|pool)`/.test(read(file)));
    expect(wrong).toEqual([]);
  });

  test("on the platform's tables is only in platform/ and in the migrations", () => {
    const PLATFORM_TABLE = /\bdiorama\.(?!run")[a-z_]+/; // "diorama.run" is the prefix of marks in the log
    const wrong = sources
      .filter((file) => !/^src\/(platform\/|db\/migrat|clients\/|console\/)/.test(file))
      .filter((file) => PLATFORM_TABLE.test(read(file)));
    expect(wrong).toEqual([]);
  });

  test("that writes runs is in their lifecycle", () => {
    const WRITES = /\b(insert into|update|delete from|merge into) diorama\.runs\b/;
    const writing = sources.filter((file) => WRITES.test(read(file)));
    expect(writing).toEqual(["src/platform/runs/lifecycle-store.ts"]);
  });

  test("of the platform names its columns: a prepared statement whose result changes while it runs fails", () => {
    const wrong = sources
      .filter((file) => file.startsWith("src/platform/"))
      .filter((file) => /\b(select|returning) (\w+\.)?\*/.test(read(file)));
    expect(wrong).toEqual([]);
  });

  test("is never built and dropped: a query that is not awaited, returned or passed on does not run", () => {
    const wrong = sources.flatMap((file) => {
      const lines = read(file).split("\n");
      return lines.flatMap((line, index) =>
        /^\s*(sql|tx|pool)`/.test(line) && /[;{}]\s*$/.test(lines[index - 1] ?? "")
          ? [`${file}:${index + 1}`]
          : [],
      );
    });
    expect(wrong).toEqual([]);
  });
});

describe("seeds", () => {
  test("are named as their templates, and listed", () => {
    const names = files("seeds")
      .filter((file) => file.endsWith(".yaml") && !file.includes("suites"))
      .map((file) => basename(file, ".yaml"));
    const listed = (SEEDS as { template: string }[]).map(({ template }) => template);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  test("of suites are listed, each with its proofs in test/suites", () => {
    const names = files("seeds")
      .filter((file) => file.startsWith(join("seeds", "suites")) && file.endsWith(".yaml"))
      .map((file) => basename(file, ".yaml"));
    expect(SUITES).toHaveLength(names.length);
    const proven = files("test/suites").map((file) => basename(file, ".test.ts"));
    for (const name of names) expect(proven).toContain(name);
  });
});

describe("the language", () => {
  test("has no archaic words", () => {
    // In halves, so that this file does not contain them.
    const WORDS = ["who_ever", "me_nd", "me_nded", "le_st", "dear_est", "ber_eft"];
    const archaic = new RegExp(`\\b(${WORDS.join("|").replaceAll("_", "")})\\b`, "i");
    const texts = ["src", "test", "scripts"].flatMap(files).concat("README.md");

    expect(texts.filter((file) => archaic.test(read(file)))).toEqual([]);
  });

  test("has no doc comment that begins with a question word", () => {
    const texts = ["src", "test", "scripts"].flatMap(files).filter((file) => /\.tsx?$/.test(file));

    expect(texts.filter((file) => /\/\*\*\s*(?:\*\s*)?What\s/.test(read(file)))).toEqual([]);
  });
});

describe("the tree", () => {
  test("has no unknown files at its top level", () => {
    const DESIGN = [
      "package.json",
      "bunfig.toml",
      "src",
      "seeds",
      "test",
      "scripts",
      "Dockerfile",
      "README.md",
    ];
    const TOOLS = ["bun.lock", "tsconfig.json", "biome.json", "LICENSE", "node_modules", "dist"];
    // Such as the binary, where the README copies it.
    const ignored = read(".gitignore")
      .split("\n")
      .map((line) => line.replaceAll("/", ""));
    const known = new Set([...DESIGN, ...TOOLS, ...ignored]);
    const extra = readdirSync(ROOT).filter((name) => !name.startsWith(".") && !known.has(name));
    expect(extra).toEqual([]);
  });

  test("has no long files", () => {
    const LINES_MAX = 420;
    // Row types are generated, and looked up rather than read.
    const generated = /\/(store\/rows|clients\/typescript\/schema)\.ts$/;
    const written = sources.filter((file) => !generated.test(file));
    const long = written.filter((file) => read(file).split("\n").length > LINES_MAX);
    expect(long).toEqual([]);
  });
});
