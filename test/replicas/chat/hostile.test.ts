/** Arguments that no careful client sends: they get the service's errors, never an internal one. */
import { beforeAll, expect, test } from "bun:test";
import { requireRejection } from "~/replicas/chat/answer";
import { METHODS } from "~/replicas/chat/api/index";
import { GENERAL, JOHN, RANDOM, useScenes, WELCOME } from "./scene";

const newScene = useScenes();
/** Shared by all cases, which may see each other's rows. */
let url = "";
beforeAll(async () => {
  ({ url } = await newScene());
});

const NASTY: readonly unknown[] = [
  "",
  "x",
  "x".repeat(5_000),
  "\u0000",
  "\ud800",
  "%",
  "')--",
  "-1",
  "0",
  "2147483648",
  "99999999999999",
  "1e3",
  "null",
  "[]",
  "[null]",
  "[[]]",
  "{}",
  '{"type":null}',
  '[{"type":"section","text":null}]',
  '[{"column_id":null}]',
  '{"__proto__":{"a":1}}',
  '{"toString":1}',
  { toString: 1 },
  [{ toString: 1 }],
  "in:@",
  "every every",
  WELCOME,
  GENERAL,
];

/** Valid values of the other arguments. */
const SOUND: Readonly<Record<string, unknown>> = {
  channel: RANDOM,
  channel_id: RANDOM,
  user: JOHN,
  user_id: JOHN,
  users: JOHN,
  text: "hi",
  name: "tada",
  timestamp: WELCOME,
  ts: WELCOME,
  thread_ts: WELCOME,
  title: "x",
  link: "https://acme.test",
  type: "link",
  time: "in 1 hour",
  query: "hi",
  external_id: "x",
  external_url: "https://acme.test",
  external_unique_id: "x",
  join_url: "https://acme.test",
  markdown_text: "hi",
  access_level: "read",
  status: "x",
};

test.each([...METHODS.values()].map((method) => [method.name, method] as const))(
  "%s answers nasty arguments",
  async (name, { args }) => {
    const names = Object.keys(args.properties);
    const sound = Object.fromEntries(
      names.flatMap((key) => (key in SOUND ? [[key, SOUND[key]]] : [])),
    );
    const calls = [...names, "unknown"].flatMap((key) =>
      NASTY.map((value) => ({ ...sound, [key]: value })),
    );

    const answers = await Promise.all(
      calls.map(async (given) => {
        const response = await fetch(`${url}/${name}`, {
          method: "POST",
          headers: { "Content-Type": "application/json; charset=utf-8" },
          body: JSON.stringify(given),
        });
        return { given, status: response.status, body: await response.text() };
      }),
    );

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  },
);

test.each([
  { code: "54000" },
  { code: "54001" },
  { code: "54011" },
  { code: "22003" },
  { code: "XX000", routine: "pushOpStack" },
])("a value that Postgres cannot process is an invalid argument: %p", (fields) => {
  const error = Object.assign(new Error("of Postgres"), fields);
  expect(requireRejection(error).code).toBe("invalid_arguments");
});

test.each([{ code: "XX000", routine: "heap_fetch" }, { code: "42601" }])(
  "another error of Postgres is a bug: %p",
  (fields) => {
    const error = Object.assign(new Error("of Postgres"), fields);
    expect(() => requireRejection(error)).toThrow(error);
  },
);
