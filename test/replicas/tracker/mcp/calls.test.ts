/**
 * Calls of every tool in one environment, one after the other, with their results. `$issue.id` in an argument is a value
 * of an earlier result. RENEW_CALLS=1 writes the results anew; review them as you review code.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { vendor } from "~/replicas/tracker/mcp/index";
import { useDatabase } from "../../../support/database";
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
const database = useDatabase();
const tracker = useTracker(database, "tracker_expanded");
const tools = useTools(database, () => ({ schema: tracker.schema, actor: MARIA }));
let mask: (text: string) => string;
const results: Record<string, any> = {};
const renewed: Call[] = [];

beforeAll(async () => {
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

describe("the calls", () => {
  test("use every argument of every tool", () => {
    const used = new Set(
      CALLS.flatMap(({ tool, args }) => [
        tool,
        ...Object.keys(args).map((name) => `${tool}.${name}`),
      ]),
    );
    const all = vendor.tools.flatMap(({ name, inputSchema }) => [
      name,
      ...Object.keys(inputSchema.properties ?? {}).map((argument) => `${name}.${argument}`),
    ]);

    expect(all.filter((name) => !used.has(name))).toEqual([]);
  });

  test("use every operation of a patch", () => {
    const used = CALLS.flatMap(({ args }) => ("patch" in args ? [args.patch].flat() : []));
    const operations = new Set(used.map((edit) => (edit as { op?: string }).op));

    expect([...operations]).toContainValues([
      "replace",
      "insert_before",
      "insert_after",
      "prepend",
      "append",
      "replace_range",
    ]);
  });
});
