/** Bugs: for any thrown value the caller gets the envelope and the server continues. */
import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { createRequestLog } from "~/http/request-log";
import { createLog } from "~/log";
import { createMetrics } from "~/metrics";
import { createSuitePlace } from "~/platform/suite-place";
import { createTaskPlace } from "~/platform/task-place";
import { createApp } from "~/program/app";
import { IncomingRequest } from "~/wire/incoming";
import { HeaderList, textOf } from "~/wire/message";

const HEALTH = "/api/platform/health";

const THROWN: [string, unknown][] = [
  ["null", null],
  ["undefined", undefined],
  ["text", "select * from secrets"],
  ["a number", 0],
  ["an object", { message: "select * from secrets" }],
  ["an error", new Error("select * from secrets")],
  ["an error that says it is a status", Object.assign(new Error("x"), { status: 200, code: 200 })],
];

function appThat(handler: () => unknown) {
  const lines: string[] = [];
  const log = createLog({ level: "error", write: (line) => lines.push(line) });
  const app = createApp({
    platform: {
      routes: { public: new Elysia().get("/health", handler), keyed: [] },
      openEnvRoutes: new Elysia(),
      taskPlace: createTaskPlace(),
      suitePlace: createSuitePlace(),
      probes: { draining: () => false },
    },
    requestLog: createRequestLog(log, createMetrics()),
    config: { CORS_ORIGINS: new Set(), TRUST_PROXY: false },
    log,
  } as unknown as Parameters<typeof createApp>[0]);
  return { app, lines };
}

async function expectBug({ app, lines }: ReturnType<typeof appThat>): Promise<void> {
  const made = await app.fetch(new IncomingRequest("GET", HEALTH, new HeaderList()));
  expect([made.status, JSON.parse(textOf(made))]).toEqual([
    500,
    { ok: false, error: "internal_error", detail: "Something went wrong on our side" },
  ]);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["request failed"]);
}

test.each(THROWN)("%s in a rejected promise is answered as a bug (S147)", async (_what, thrown) => {
  await expectBug(appThat(() => Promise.reject(thrown)));
});

test.each(THROWN)("a thrown %s is answered as a bug (S147)", async (_what, thrown) => {
  await expectBug(
    appThat(() => {
      throw thrown;
    }),
  );
});
