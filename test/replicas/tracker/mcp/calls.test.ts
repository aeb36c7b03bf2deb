/**
 * Calls of every tool in one environment, one after the other, with their results. `$issue.id` in an argument is a value
 * of an earlier result. RENEW_CALLS=1 writes the results anew; review them as you review code.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { vendor } from "~/replicas/tracker/mcp/vendor";
import { useSharedDatabase } from "../../../support/database";
import { everyRow } from "../../../support/rows";
import { createMask, useTools } from "../../../support/tools";
import { MARIA, useTracker } from "../../../support/tracker";
import calls from "./calls.json";

type Call = {
  readonly tool: string;
  readonly as?: string;
  readonly args: object;
  readonly result?: unknown;
  readonly rejection?: string;
};

const CALLS: readonly Call[] = calls as never;
const database = useSharedDatabase();
const tracker = useTracker(database, "tracker_expanded");
const tools = useTools(database, () => ({ schema: tracker.schema, actor: MARIA }));
let mask: (text: string) => string;
const results: Record<string, any> = {};
const renewed: Call[] = [];

beforeAll(async () => {
  const { commentCreate } = await tracker.data(
    `mutation { commentCreate(input: { issueId: "ENG-44", body: "?", quotedText: "a" }) { comment { id } } }`,
  );
  results["inline"] = commentCreate.comment;
  mask = createMask(JSON.stringify(await everyRow(database, tracker.schema)));
});

/** The arguments with values of earlier results. */
const filled = (args: object): object =>
  JSON.parse(JSON.stringify(args), (_key, value) => {
    const [, path] = /^\$([a-z]\w*\..*)$/.exec(String(value)) ?? [];
    return typeof value === "string" && path !== undefined
      ? path.split(".").reduce((at, name) => at?.[name], results)
      : value;
  });

const parsed = (text: string) => (/^[[{]/.test(text) ? JSON.parse(text) : text);

describe("a call", () => {
  const named = CALLS.map(
    (call, index) =>
      [`${index} ${call.tool} ${JSON.stringify(call.args).slice(0, 120)}`, call] as const,
  );

  test.each(named)("%s", async (_name, { tool, as, args, result, rejection }) => {
    const { text, isError } = await tools.result(tool, filled(args));

    if (as !== undefined) results[as] = parsed(text);
    const masked = mask(text);
    const found = isError ? { rejection: masked } : { result: parsed(masked) };
    renewed.push({ tool, ...(as !== undefined && { as }), args, ...found });
    if (process.env["RENEW_CALLS"]) return;
    if (rejection === undefined) {
      expect(isError ? text : undefined).toBeUndefined();
      // As text: the order of the keys counts.
      expect(masked).toBe(typeof result === "string" ? result : JSON.stringify(result));
    } else expect(found).toEqual({ rejection });
  });

  test("was recorded", async () => {
    if (!process.env["RENEW_CALLS"]) return;
    await Bun.write(join(import.meta.dir, "calls.json"), JSON.stringify(renewed, null, 2));
  });
});

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string;
};

/** Every argument of a schema, also inside of objects, and every value of an enumeration: `save_issue.patch.op=append`. */
function declared(schema: Schema, at: string): string[] {
  const { properties = {}, items, oneOf = [], anyOf = [], enum: values = [], const: only } = schema;
  return [
    ...[...values, ...(only === undefined ? [] : [only])].map((value) => `${at}=${value}`),
    ...[...(items ? [items] : []), ...oneOf, ...anyOf].flatMap((inner) => declared(inner, at)),
    ...Object.entries(properties).flatMap(([name, inner]) => [
      `${at}.${name}`,
      ...declared(inner, `${at}.${name}`),
    ]),
  ];
}

/** The same for the arguments of a call. */
function used(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => used(item, at));
  if (typeof value !== "object" || value === null) return [`${at}=${value}`];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${at}.${name}`,
    ...used(inner, `${at}.${name}`),
  ]);
}

const SOURCES = join(import.meta.dir, "../../../../src/replicas/tracker/mcp");
const CHECKS = join(SOURCES, "../../kit/tool-arguments.ts");
const TEXTS =
  /(?:new Rejected|invalid|notThere|report|problems\.push|refused|mistyped)\(\s*(?:place,\s*)?(`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*")/g;

/** The texts of rejections in the code, as patterns: a value in a template is any text. */
async function rejectionTexts(): Promise<RegExp[]> {
  const found: RegExp[] = [];
  const files = [...new Bun.Glob("*.ts").scanSync({ cwd: SOURCES, absolute: true }), CHECKS];
  for (const file of files) {
    const source = await Bun.file(file).text();
    for (const [, literal = ""] of source.matchAll(TEXTS)) {
      const text = literal.slice(1, -1).replaceAll('\\"', '"');
      const parts = text.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/);
      found.push(new RegExp(parts.map(RegExp.escape).join(".*"), "s"));
    }
  }
  return found;
}

describe("the calls", () => {
  test("use every tool, every argument and every value of an enumeration, and not only to be rejected", () => {
    const checked = CALLS.filter(({ rejection }) => !rejection?.startsWith("Input validation"));
    const all = new Set(checked.flatMap(({ tool, args }) => [tool, ...used(args, tool)]));
    const missing = vendor.tools.flatMap(({ name, inputSchema }) =>
      [name, ...declared(inputSchema as Schema, name)].filter((each) => !all.has(each)),
    );

    expect(missing).toEqual([]);
  });

  test("provoke every text of a rejection", async () => {
    const rejections = CALLS.flatMap(({ rejection, result }) => [
      ...(rejection === undefined ? [] : [rejection]),
      ...((result as { warnings?: string[] } | undefined)?.warnings ?? []),
    ]);
    const texts = await rejectionTexts();

    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => !rejections.some((one) => text.test(one))).map(String)).toEqual(
      [],
    );
  });
});
