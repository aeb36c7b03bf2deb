/** Random calls to the services of the world `acme`, in environments with different pasts. */
import { expect } from "bun:test";
import fc from "fast-check";
import type { Pool } from "~/db/connect";
import { type Keys, type State, stateOf } from "../../scripts/oracle";
import { expectStatus, type TestProgram } from "./program";

const TEAM = "c0000000-0000-4000-8000-000000000001";
const CHANNELS = ["C01GENERAL", "C02RANDOM"];
const EDIT = `mutation ($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`;
const CREATE = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`;
const COMMENT = `mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }`;
const REMOVE = `mutation ($id: String!) { issueDelete(id: $id) { success } }`;

export type World = { environmentId: string; token: string; schemaName: string };
/** Ids that calls have returned. */
export type Made = {
  posts: { channel: string; ts: string }[];
  issues: string[];
  mails: string[];
  drafts: string[];
};
const nothing = (): Made => ({ posts: [], issues: [], mails: [], drafts: [] });
export type Step = { readonly kind: string; readonly n: number };
type Server = Pick<TestProgram, "url" | "post" | "environment">;

const number = fc.nat(1_000);
export const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("post"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("react"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete"), n: number }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create"), n: number }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("update"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("comment"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove"), n: number }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("mail"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("star"), n: number }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("draft"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sendDraft"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rejected"), n: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clock"), n: number }) },
);
/** The life of an environment before the run. */
export const origin = fc.constantFrom("new", "used", "reset", "fork", "snapshot");

async function call({ url }: Server, { environmentId, token }: World, path: string, body: object) {
  const response = await fetch(`${url}/api/env/${environmentId}/services/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as any;
}

/** A message to a colleague, to all, or to nobody. */
const rawOf = (n: number) =>
  Buffer.from(
    `To: ${["john", "team", "nobody"][n % 3]}@acme.test\r\nSubject: Mail ${n}\r\n\r\nText ${n}\r\n`,
  ).toString("base64url");

/** Makes one call, whose ids are kept. Throws if the server does not answer. */
export async function perform(
  server: Server,
  world: World,
  { kind, n }: Step,
  made: Made,
): Promise<void> {
  const chat = (method: string, args: object) => call(server, world, `chat/${method}`, args);
  const tracker = async (query: string, variables: object) => {
    const { data, errors } = await call(server, world, "tracker/graphql", { query, variables });
    expect(errors).toBeUndefined();
    return data;
  };
  const mail = (path: string, args: object) =>
    call(server, world, `mail/gmail/v1/users/me/${path}`, args);
  const post = made.posts[n % (made.posts.length || 1)];
  const letter = made.mails[n % (made.mails.length || 1)];
  const draft = made.drafts[n % (made.drafts.length || 1)];
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
  } else if (kind === "mail") {
    const { id } = await mail("messages/send", { raw: rawOf(n) });
    expect(id).toBeString();
    made.mails.push(id);
  } else if (kind === "star" && letter)
    await mail(`messages/${letter}/modify`, {
      [n % 2 === 0 ? "addLabelIds" : "removeLabelIds"]: ["STARRED"],
    });
  else if (kind === "draft")
    made.drafts.push((await mail("drafts", { message: { raw: rawOf(n) } })).id);
  else if (kind === "sendDraft" && draft) {
    made.mails.push((await mail("drafts/send", { id: draft })).id);
    made.drafts = made.drafts.filter((each) => each !== draft);
  } else if (kind === "rejected") {
    expect((await mail("messages/send", { raw: "" })).error.code).toBe(400);
    expect((await chat("chat.postMessage", { channel: "C0NOWHERE", text: "x" })).ok).toBe(false);
    const rejected = {
      query: CREATE,
      variables: { input: { teamId: crypto.randomUUID(), title: "x" } },
    };
    expect((await call(server, world, "tracker/graphql", rejected)).errors).not.toBeUndefined();
  } else if (kind === "clock")
    expectStatus(await server.post(`/env/${world.environmentId}/clock`, { advance: "PT1M" }), 200);
}

/** A world of this origin, with what was made in it. */
export async function prepare(
  server: Server,
  how: string,
  steps: readonly Step[],
): Promise<{ world: World; made: Made }> {
  const world: World = await server.environment({
    ...{ templateService: "world", templateName: "acme", impersonateEmail: "agent@acme.test" },
    impersonateUserId: undefined,
  });
  const made = nothing();
  if (how === "new") return { world, made };
  const path = `/env/${world.environmentId}`;
  for (const each of steps) await perform(server, world, each, made);
  if (how === "reset") {
    expectStatus(await server.post(`${path}/reset`, {}), 200);
    return { world, made: nothing() };
  }
  if (how === "used") return { world, made };
  const snapshot = how === "snapshot" ? await server.post(`${path}/snapshots`, {}) : undefined;
  if (snapshot) for (const each of steps) await perform(server, world, each, structuredClone(made));
  const fork = await server.post(
    `${path}/fork`,
    snapshot ? { snapshotId: snapshot.body.snapshotId } : {},
  );
  expectStatus(fork, 200);
  return { world: fork.body.environments[0], made };
}

/** The state of the template of a schema, which both keep when the schema is recycled. */
export async function templateOf(sql: Pool, schema: string, keys: Keys): Promise<State> {
  const [row] = await sql<{ template: string }[]>`
    select template_schema as template from diorama.schemas where schema_name = ${schema}
  `;
  return await stateOf(sql, row?.template ?? "", keys);
}

/** The diff as the dumps would have it: without what it says of a row besides the row. */
export const bare = (diff: object) =>
  JSON.parse(
    JSON.stringify(diff, (name, value) => (/^__(service|actor)__$/.test(name) ? undefined : value)),
  );

/** Checks that each change of a run belongs to one call, of the table's service, or to the clock. */
export async function expectOwners(
  { get }: Pick<TestProgram, "get">,
  runId: string,
): Promise<void> {
  const { calls } = (await get(`/runs/${runId}/calls?limit=1000`)).body;
  const { events } = (await get(`/runs/${runId}/events`)).body;
  const owners = calls.flatMap(({ service, changes }: any) =>
    changes.map((place: number) => [place - 1, service]),
  );
  expect(new Set(owners.map(([place]: any) => place)).size).toBe(owners.length);
  for (const [place, service] of owners) expect(events[place].table).toStartWith(`${service}_`);
  const unowned = events.filter(
    (_: unknown, place: number) => !owners.some(([owned]: any) => owned === place),
  );
  expect(unowned.every(({ actor }: any) => actor === "clock")).toBe(true);
}
