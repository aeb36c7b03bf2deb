/** House rules that no tool checks. Each failure names the file. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { PEOPLE, SEEDS, SUITES } from "../seeds/index";

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

/** Lower layers first. Unlisted ones are at the top: program, commands, main. */
const LAYERS = [
  [
    "input",
    "errors",
    "address",
    "capitalized",
    "config",
    "log",
    "metrics",
    "outgoing",
    "page",
    "principal",
    "semaphore",
    "source",
    "thread",
    "version",
  ],
  ["wire"],
  ["db"],
  ["graphql"],
  ["replicas"],
  ["capture"],
  ["evaluation"],
  ["docs"],
  ["clients"],
  ["console"],
  ["http"],
  ["site"],
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
  "idempotency",
  "templates",
  "faults",
  "counterparts",
  "outbox",
  "suites",
  "environments",
  "events",
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

  test("of a replica stay away from the others, and of the kit from all of them", () => {
    const wrong = sources.flatMap((file) => {
      const [, own] = /^src\/replicas\/([a-z]+)\//.exec(file) ?? [];
      return importsOf(file)
        .map((path) => /^~\/replicas\/([a-z]+)\//.exec(path)?.[1])
        .filter((other) => own !== undefined && other !== undefined && other !== own)
        .filter((other) => other !== "kit")
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
  const HOMES = /(^|\/)(store|db|graphql|capture)(\/|$)|store\.ts$/;
  /** Each takes a lock, fills a table of any replica, or asks whether the database answers. */
  const OTHER_HOMES = [
    "platform/health.ts",
    "platform/maintenance.ts",
    "platform/suites/builtin.ts",
    "platform/templates/builtin.ts",
    "replicas/kit/seed.ts",
  ];

  test("is in stores, in db/ and in a few named files, nowhere else", () => {
    const wrong = sources
      .filter((file) => !HOMES.test(inside(file)) && !OTHER_HOMES.includes(inside(file)))
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

  test("that writes runs is in their lifecycle, where people label them, and where their events are kept and acts counted", () => {
    const WRITES = /\b(insert into|update|delete from|merge into) diorama\.runs\b/;
    const writing = sources.filter((file) => WRITES.test(read(file)));
    expect(writing).toEqual([
      "src/platform/counterparts/by-hand-store.ts",
      "src/platform/events/kept-store.ts",
      "src/platform/runs/lifecycle-store.ts",
      "src/platform/runs/note-store.ts",
    ]);
  });

  test("of the platform names its columns: a prepared statement whose result changes while it runs fails", () => {
    const wrong = sources
      .filter((file) => file.startsWith("src/platform/"))
      .filter((file) => /\b(select|returning) (\w+\.)?\*/.test(read(file)));
    expect(wrong).toEqual([]);
  });

  test("finds what a schema has through pg_depend: without a name, other catalogs are read as a whole, with a million rows", () => {
    const wrong = sources.filter((file) => /\b(rel|typ|con)namespace\b/.test(read(file)));
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
      .filter((file) => file.endsWith(".yaml") && dirname(file) === "seeds")
      .map((file) => basename(file, ".yaml"));
    const listed = (SEEDS as { template: string }[]).map(({ template }) => template);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  test("of people are listed", () => {
    const names = files("seeds/people").map((file) => basename(file, ".yaml"));
    expect(Object.keys(PEOPLE).toSorted()).toEqual(names.toSorted());
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

const FILE_LINES_MAX = 300;
const FUNCTION_LINES_MAX = 150;

/** Folders that know services by name. `replicas` tells the others what they need; `generation` writes contents, as `seeds` has them. */
const OF_SERVICES = ["replicas", "console/services", "clients", "docs", "generation"].map(
  (folder) => `src/${folder}/`,
);
const SERVICE_WORD =
  /(?<![a-z])(?:chat|tracker|slack|linear)(?![a-z])|(?:Chat|Tracker|Slack|Linear)(?![a-z])|CHAT|TRACKER|SLACK|LINEAR/;

/** Lines elsewhere that name a service: examples of the OpenAPI document, and texts about them. */
const SERVICE_WORDS: Readonly<Record<string, number>> = {
  "src/commands/export/files.ts": 1,
  "src/commands/serve.ts": 1,
  "src/evaluation/spec.ts": 1,
  "src/platform/control-tools.ts": 3,
  "src/platform/audit/model.ts": 1,
  "src/platform/environments/model.ts": 4,
  "src/platform/environments/routes.ts": 1,
  "src/platform/faults/model.ts": 4,
  "src/platform/journal/model.ts": 1,
  "src/platform/openenv/model.ts": 9,
  "src/platform/openenv/tasks.ts": 1,
  "src/platform/overview.ts": 1,
  "src/platform/runs/suite-model.ts": 1,
  "src/platform/suites/model.ts": 1,
  "src/platform/templates/model.ts": 5,
  "src/platform/templates/routes.ts": 1,
  "src/platform/openenv/task-model.ts": 1,
};

/** Lines of the longest function of files over the limit, because they are not yet split by their nouns. An entry may only shrink. */
const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  "src/capture/capture.ts": 206,
  "src/capture/stream.ts": 176,
  "src/platform/suites/changes.ts": 166,
};

/** The lines in the body of the longest function. The formatter puts the end of a body at the indentation of its head. */
function longestFunction(source: string): number {
  const heads = new Map<number, number>();
  let longest = 0;
  for (const [index, line] of source.split("\n").entries()) {
    const text = line.trimStart();
    const indentation = line.length - text.length;
    const head = heads.get(indentation);
    if (text.startsWith("}") && head !== undefined) {
      longest = Math.max(longest, index - head - 1);
      heads.delete(indentation);
    }
    const isBranch = /^(\} )?(if|for|while|switch|else|catch)\b/.test(text);
    if (!isBranch && /(=>|\)(: [^=]+)?) \{$/.test(text)) heads.set(indentation, index);
  }
  return longest;
}

/** Files whose entry is not what they have: a smaller one is lowered, so that it cannot grow back. */
const unlike = (
  measured: Readonly<Record<string, number>>,
  listed: Readonly<Record<string, number>>,
): string[] => [
  ...Object.entries(measured)
    .filter(([file, lines]) => lines !== listed[file])
    .map(([file, lines]) => `${file} has ${lines} lines, its entry ${listed[file] ?? "none"}`),
  ...Object.keys(listed)
    .filter((file) => measured[file] === undefined)
    .map((file) => `${file} needs no entry: remove it`),
];

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

  // Row types are generated, and looked up rather than read.
  const written = sources.filter(
    (file) => !/\/(store\/rows|clients\/typescript\/schema)\.ts$/.test(file),
  );
  const lengthOf = (file: string) => read(file).trimEnd().split("\n").length;

  test("bounds the keys of records by patterns: their lengths are not checked", () => {
    const KEYS = /\bRecord\(\s*(t|Type)\.String\(\{[^}]*(min|max)Length/;
    expect(sources.filter((file) => KEYS.test(read(file)))).toEqual([]);
  });

  test("has no long files", () => {
    expect(written.filter((file) => lengthOf(file) > FILE_LINES_MAX)).toEqual([]);
  });

  test("names services in their folders only, but for examples, which may only get fewer", () => {
    const naming = sources
      .filter((file) => !OF_SERVICES.some((folder) => file.startsWith(folder)))
      .map(
        (file) =>
          [
            file,
            read(file)
              .split("\n")
              .filter((line) => SERVICE_WORD.test(line)).length,
          ] as const,
      )
      .filter(([, lines]) => lines > 0);

    expect(unlike(Object.fromEntries(naming), SERVICE_WORDS)).toEqual([]);
  });

  test("has no long functions, but for those that are to be split and may only shrink", () => {
    const long = written.filter((file) => longestFunction(read(file)) > FUNCTION_LINES_MAX);
    const measured = Object.fromEntries(long.map((file) => [file, longestFunction(read(file))]));

    expect(unlike(measured, LONG_FUNCTIONS)).toEqual([]);
  });

  // The generated types are for those who use the client.
  test("exports only what another file uses", () => {
    const texts = ["src", "test", "scripts", "seeds"]
      .flatMap(files)
      .filter((file) => /\.(tsx?|tmpl)$/.test(file));
    const users = new Map<string, number>();
    for (const file of texts)
      for (const word of new Set(read(file).match(/[A-Za-z_$][\w$]*/g)))
        users.set(word, (users.get(word) ?? 0) + 1);
    const exported = /^export (?:async )?(?:const|function|class|type) ([A-Za-z_$][\w$]*)/gm;
    const unused = written
      .filter((file) => !file.startsWith("src/clients/"))
      .flatMap((file) =>
        [...read(file).matchAll(exported)].map(([, name = ""]) => ({ file, name })),
      )
      .filter(({ name }) => users.get(name) === 1);

    expect(unused).toEqual([]);
  });

  test("measures a function from its opening line to its closing brace, with those inside it", () => {
    const inner = ["  const inner = () => {", "    return 1;", "  };"];
    const outer = ["export function outer(", "  a: number,", ") {", ...inner, "}"];

    expect(longestFunction(inner.join("\n"))).toBe(1);
    expect(longestFunction(outer.join("\n"))).toBe(3);
    expect(longestFunction("const table = {\n  a: 1,\n  b: 2,\n};")).toBe(0);
  });
});
