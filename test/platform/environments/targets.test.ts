import { describe, expect, test } from "bun:test";
import { readConfig } from "~/config";
import type { Blueprint } from "~/db/blueprint";
import { connect } from "~/db/connect";
import { readDemand } from "~/platform/environments/demand-store";
import {
  createTargets,
  emptyTargets,
  poorest,
  readyTargets,
} from "~/platform/environments/targets";
import { useDatabase } from "../../support/database";
import { startTestProgram } from "../../support/program";

const PRODUCTION = { ENVIRONMENT: "production" };
const BUILD_SECONDS = 0.1;

const templates = [
  { name: "chat_default", schemaName: "tpl_chat", userId: null },
  { name: "chat_base", schemaName: "tpl_base", userId: null },
  { name: "mine", schemaName: "tpl_own", userId: "alice" },
] as Parameters<typeof readyTargets>[1];

const targets = (
  settings: object,
  demand: Parameters<typeof readyTargets>[2] = new Map(),
  buildSeconds = BUILD_SECONDS,
) => {
  const config = readConfig({ DATABASE_URL: "postgres://u@localhost/x", ...settings });
  return [...readyTargets(config, templates, demand, buildSeconds).values()];
};

describe("the number of ready schemas", () => {
  test.each([
    ["in production", PRODUCTION, [20, 20, 2]],
    ["in development", {}, [2, 2, 2]],
    ["with targets", { ENVIRONMENT_POOL_TARGETS: "chat_default:7" }, [7, 0, 0]],
  ])("without demand, %s", (_case, settings, wanted) => {
    expect(targets(settings)).toEqual(wanted);
    // However slow builds are: nothing arrives.
    expect(targets(settings, new Map(), 1_000)).toEqual(wanted);
  });

  test.each([
    ["the last hour's burst", { burst: 64, perSecond: 0 }, 64],
    ["what arrives during two builds", { burst: 0, perSecond: 200 }, 40],
    ["both", { burst: 50, perSecond: 100 }, 70],
    ["no more than the maximum", { burst: 256, perSecond: 10 }, 100],
    ["no less than the minimum", { burst: 1, perSecond: 0.1 }, 20],
  ])("follows demand: %s", (_case, demand, wanted) => {
    expect(targets(PRODUCTION, new Map([["chat_default", demand]]))).toEqual([wanted, 20, 2]);
  });

  test("is the setting's, whatever the demand", () => {
    const demand = new Map([["chat_default", { burst: 64, perSecond: 10 }]]);

    expect(targets({ ...PRODUCTION, ENVIRONMENT_POOL_TARGETS: "chat_default:7" }, demand)).toEqual([
      7, 0, 0,
    ]);
  });
});

describe("the number of empty schemas", () => {
  const shapes: Record<string, string> = {
    tpl_chat: "chat",
    tpl_base: "chat",
    tpl_tracker: "tracker",
  };
  const empty = async (ready: Record<string, number>) => {
    const blueprint = async (schema: string) => ({ shape: shapes[schema] }) as Blueprint;
    return Object.fromEntries(await emptyTargets({ blueprint }, new Map(Object.entries(ready))));
  };

  test("is twice the largest target of the templates with these tables", async () => {
    expect(await empty({ tpl_chat: 20, tpl_base: 40, tpl_tracker: 7 })).toEqual({
      empty_chat: { count: 80, like: "tpl_base" },
      empty_tracker: { count: 14, like: "tpl_tracker" },
    });
  });

  test("is bounded, and zero for a small pool", async () => {
    expect(await empty({ tpl_chat: 1_000, tpl_tracker: 2 })).toEqual({
      empty_chat: { count: 200, like: "tpl_chat" },
    });
  });
});

describe("the next schema to build", () => {
  test.each([
    ["is of the template with the smallest share of its target", { a: 1, b: 10 }, "b"],
    ["counts a template without any as the poorest", { b: 10 }, "a"],
    ["is none where all targets are reached", { a: 2, b: 101 }, undefined],
    ["is never of a template whose target is reached", { a: 2, b: 99 }, "b"],
    ["is the first of equal shares", { a: 1, b: 50 }, "a"],
  ])("%s", (_case, have, next) => {
    const targets = new Map(Object.entries({ a: 2, b: 100 }));
    expect(poorest(targets, new Map(Object.entries(have)))).toBe(next);
  });
});

describe("demand", () => {
  const database = useDatabase();

  test("is the largest group of ten seconds, and the rate of the last minute, of all servers", async () => {
    const server = await startTestProgram(database);
    const pool = connect(database.url, { max: 2, name: "test", camel: true });
    const add = (template: string, count: number, secondsAgo: number) => pool`
      insert into diorama.environments (
        environment_id, user_id, key_id, service, template_name, schema_name, acting_user_id, token_hash, created_at,
        expires_at
      )
      select gen_random_uuid()::text, 'alice', 'key', 'chat', ${template}, 'env', 'U1', '',
        date_bin('10 seconds', now(), 'epoch') - ${secondsAgo}::float8 * interval '1 second', now()
      from generate_series(1, ${count})
    `;
    await add("chat_default", 64, 1_800);
    await add("chat_default", 30, 20);
    await add("chat_default", 500, 7_200);
    await add("chat_base", 3, 600);

    expect(await readDemand(pool)).toEqual(
      new Map([
        ["chat_default", { burst: 64, perSecond: 0.5 }],
        ["chat_base", { burst: 3, perSecond: 0 }],
      ]),
    );

    const now = await createTargets({
      config: readConfig({ DATABASE_URL: database.url, ...PRODUCTION }),
      pool,
      templates: { list: async () => templates } as never,
      schemaPool: { buildSeconds: () => BUILD_SECONDS },
    })();
    expect(now.get("tpl_chat")).toBe(65);
    await pool.end();
    await server.program.stop();
  });
});
