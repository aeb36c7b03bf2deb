/**
 * Random calls to the services of a world, in environments that are new, forked, reset or moved in time: the diff of a run
 * is the difference of two dumps, each change belongs to one call, and a new or reset schema equals its template.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { difference, type Keys, keysOf, sorted, stateOf } from "../../scripts/oracle";
import { useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);

const TEAM = "c0000000-0000-4000-8000-000000000001";
const CHANNELS = ["C01GENERAL", "C02RANDOM"];
const SEQUENCES = Number(process.env["MODEL_RUNS"] ?? 10);
const EDIT = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`;
const CREATE = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`;
const COMMENT = `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }`;
const REMOVE = `mutation ($id: String!) { issueDelete(id: $id) { success } }`;

type World = { environmentId: string; token: string; schemaName: string };
/** Ids that calls have returned. */
type Made = { posts: { channel: string; ts: string }[]; issues: string[] };

const number = fc.nat(1_000);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("post"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("react"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete"), n: number }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create"), n: number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("comment"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rejected"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clock"), n: number }) },
);
type Step = { readonly kind: string; readonly n: number };
/** The life of an environment before the run. */
const origin = fc.constantFrom("new", "used", "reset", "fork", "snapshot");

async function call({ environmentId, token }: World, path: string, body: object) {
  const response = await fetch(`${program.url}/api/env/${environmentId}/services/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as any;
}

async function perform(world: World, { kind, n }: Step, made: Made): Promise<void> {
  const chat = (method: string, args: object) => call(world, `chat/${method}`, args);
  const tracker = async (query: string, variables: object) => {
    const { data, errors } = await call(world, "tracker/graphql", { query, variables });
    expect(errors).toBeUndefined();
    return data;
  };
  const post = made.posts[n % (made.posts.length || 1)];
  const issue = made.issues[n % (made.issues.length || 1)];
  const channel = CHANNELS[n % 2]!;
  if (kind === "post") {
    const args = {
      channel,
      text: `Text ${n} <@U02JOHNADOE>`,
      ...(n % 3 === 0 && post?.channel === channel && { thread_ts: post.ts }),
    };
    const { ok, ts } = await chat("chat.postMessage", args);
    expect(ok).toBe(true);
    made.posts.push({ channel, ts });
  } else if (kind === "edit" && post) await chat("chat.update", { ...post, text: `Edited ${n}` });
  else if (kind === "react" && post)
    await chat("reactions.add", { channel: post.channel, timestamp: post.ts, name: "eyes" });
  else if (kind === "delete" && post) {
    await chat("chat.delete", post);
    made.posts = made.posts.filter((each) => each !== post);
  } else if (kind === "create") {
    const input = { teamId: TEAM, title: `Issue ${n}`, priority: n % 5 };
    made.issues.push((await tracker(CREATE, { input })).issueCreate.issue.id);
  } else if (kind === "update" && issue)
    await tracker(EDIT, { id: issue, input: { title: `Renamed ${n}`, priority: n % 5 } });
  else if (kind === "comment" && issue)
    await tracker(COMMENT, { input: { issueId: issue, body: `Comment ${n}` } });
  else if (kind === "remove" && issue) {
    await tracker(REMOVE, { id: issue });
    made.issues = made.issues.filter((each) => each !== issue);
  } else if (kind === "rejected") {
    expect((await chat("chat.postMessage", { channel: "C0NOWHERE", text: "x" })).ok).toBe(false);
    const rejected = {
      query: CREATE,
      variables: { input: { teamId: crypto.randomUUID(), title: "x" } },
    };
    expect((await call(world, "tracker/graphql", rejected)).errors).not.toBeUndefined();
  } else if (kind === "clock")
    expectStatus(await program.post(`/env/${world.environmentId}/clock`, { advance: "PT1M" }), 200);
}

/** A world of this origin, with what was made in it. */
async function prepare(how: string, steps: readonly Step[]): Promise<{ world: World; made: Made }> {
  const world: World = await program.environment({
    ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
    impersonateUserId: undefined,
  });
  const made: Made = { posts: [], issues: [] };
  if (how === "new") return { world, made };
  const path = `/env/${world.environmentId}`;
  for (const each of steps) await perform(world, each, made);
  if (how === "reset") {
    expectStatus(await program.post(`${path}/reset`, {}), 200);
    return { world, made: { posts: [], issues: [] } };
  }
  if (how === "used") return { world, made };
  const snapshot = how === "snapshot" ? await program.post(`${path}/snapshots`, {}) : undefined;
  if (snapshot) for (const each of steps) await perform(world, each, structuredClone(made));
  const fork = await program.post(
    `${path}/fork`,
    snapshot ? { snapshotId: snapshot.body.snapshotId } : {},
  );
  expectStatus(fork, 200);
  return { world: fork.body.environments[0], made };
}

async function templateOf(schema: string, keys: Keys) {
  const [row] = await database.sql<{ template: string }[]>`
    select template_schema as template from diorama.schemas where schema_name = ${schema}
  `;
  return await stateOf(database.sql, row?.template ?? "", keys);
}

test("the diff of a world is the difference of two dumps", async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(origin, steps, steps, async (how, before, during) => {
      const { world, made } = await prepare(how, before);
      const schema = world.schemaName;
      const keys = await keysOf(database.sql, schema);
      expect(Object.keys(keys)).toEqual(
        expect.arrayContaining(["chat_messages", "tracker_issues"]),
      );
      const old = await stateOf(database.sql, schema, keys);
      if (how === "new" || how === "reset") expect(old).toEqual(await templateOf(schema, keys));
      const started = await program.post("/startRun", {
        envId: world.environmentId,
        journal: "calls",
      });
      const { runId } = started.body;
      for (const each of during) await perform(world, each, made);
      const now = await stateOf(database.sql, schema, keys);

      const { body } = await program.post("/diffRun", { runId, include: ["clock"] });
      const captured = JSON.parse(
        JSON.stringify(body.diff, (name, value) =>
          /^__(service|actor)__$/.test(name) ? undefined : value,
        ),
      );
      expect(sorted(captured)).toBe(sorted(difference(old, now, keys)));

      // Each change belongs to one call, whose service is that of the table.
      const { calls } = (await program.get(`/runs/${runId}/calls?limit=1000`)).body;
      const { events } = (await program.get(`/runs/${runId}/events`)).body;
      const owners = calls.flatMap(({ service, changes }: any) =>
        changes.map((place: number) => [place - 1, service]),
      );
      expect(new Set(owners.map(([place]: any) => place)).size).toBe(owners.length);
      for (const [place, service] of owners) expect(events[place].table).toStartWith(`${service}_`);
      const unowned = events.filter(
        (_: unknown, place: number) => !owners.some(([owned]: any) => owned === place),
      );
      expect(unowned.every(({ actor }: any) => actor === "clock")).toBe(true);
    }),
    { numRuns: SEQUENCES, seed: 20_261_125 },
  );
}, 120_000);
