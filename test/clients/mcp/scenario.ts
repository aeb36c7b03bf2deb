/** Calls that every client makes: lists, reads, writes and errors on both services, and what they leave behind. */
import { expect } from "bun:test";
import { endpointOf } from "../../support/mcp";
import type { TestProgram } from "../../support/program";
import { startRecorder } from "../../support/recorder";
import { JOHN } from "../../support/tracker";
import { type Command, type Driver, type Service, withDriver } from "./driver";

const CHANNEL = "C02RANDOM";
/** More than ASCII and one line, with characters that JSON and Markdown escape. */
const TEXT = 'Größe: "10 €" 🎉\n\\ 日本';
const TITLE = "Größe 🎉";
const TOOLS = { chat: 19, tracker: 58 };

/** Plays the scenario with one client, in one revision of the protocol. */
export async function play(program: TestProgram, revision: string, command: Command) {
  const chat = await program.environment();
  const tracker = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
  });
  await using recorder = startRecorder(program.url);
  const endpoints = { chat: endpointOf(recorder, chat), tracker: endpointOf(recorder, tracker) };
  const of = { ...command, env: { ...command.env, REVISION: revision } };
  const runs = { chat: await start(program, chat), tracker: await start(program, tracker) };
  await withDriver(of, endpoints, async (driver) => {
    expect(driver.tools).toHaveLength(TOOLS.chat + TOOLS.tracker);
    const said = await chatThrough(driver);
    await expectMessages(program, chat, said);
    const saved = await issueThrough(driver);
    await expectIssue(program, tracker, saved);
    expect(await diffOf(program, runs.chat)).toMatchObject(chatDiff(said));
    expect(await diffOf(program, runs.tracker)).toMatchObject(trackerDiff(saved));
  });
  expect([...recorder.revisions]).toEqual([revision]);
}

type Environment = {
  readonly environmentId: string;
  readonly environmentUrl: string;
  readonly token: string;
};

async function start(program: TestProgram, { environmentId }: Environment): Promise<string> {
  return (await program.post("/startRun", { envId: environmentId })).body.runId;
}

async function diffOf(program: TestProgram, runId: string) {
  const { body } = await program.post("/diffRun", { runId });
  const { inserts, ...others } = body.diff;
  const tableOf = (row: any): string => row.__table__;
  return {
    ...others,
    inserts: inserts.toSorted((a: any, b: any) => tableOf(a).localeCompare(tableOf(b))),
  };
}

/** The JSON of a result. */
async function resultOf({ call }: Driver, service: Service, name: string, args: object) {
  const { text, isError = false } = await call({ service, name, arguments: args });
  expect({ text, isError }).toEqual({ text, isError: false });
  return JSON.parse(text);
}

async function expectRejected(driver: Driver, service: Service, name: string, args: object) {
  const { text, isError = true } = await driver.call({ service, name, arguments: args });
  expect(isError).toBe(true);
  return expect(text);
}

type Said = { readonly ts: string; readonly reply: string };

async function chatThrough(driver: Driver): Promise<Said> {
  const at = { channel_id: CHANNEL };
  const call = (name: string, args: object) => resultOf(driver, "chat", name, args);
  const say = async (args: object): Promise<string> =>
    (await call("slack_send_message", { ...at, ...args })).message_context.message_ts;
  const found = await call("slack_search_channels", { query: "random" });
  const ts = await say({ message: TEXT });
  const reply = await say({ message: "A *reply*", thread_ts: ts });
  await call("slack_add_reaction", { ...at, message_ts: ts, emoji: "eyes" });
  const thread = await call("slack_read_thread", { ...at, message_ts: ts });
  const nowhere = { channel_id: "C0NOWHERE1", message: TEXT };
  const rejected = await expectRejected(driver, "chat", "slack_send_message", nowhere);

  expect(found.results).toContain(CHANNEL);
  expect(thread.messages).toContain(TEXT);
  expect(thread.messages).toContain("A _reply_");
  rejected.toContain("channel_not_found");
  return { ts, reply };
}

async function expectMessages(program: TestProgram, chat: Environment, { ts, reply }: Said) {
  const { messages } = await program.chat(chat, "conversations.replies", { channel: CHANNEL, ts });

  expect(messages).toMatchObject([
    { ts, text: TEXT, reply_count: 1, reactions: [{ name: "eyes", count: 1 }] },
    { ts: reply, text: "A _reply_", thread_ts: ts },
  ]);
}

const chatDiff = ({ ts, reply }: Said) => ({
  inserts: [
    { __table__: "messages", channel_id: CHANNEL, ts, thread_ts: null, text: TEXT },
    { __table__: "messages", channel_id: CHANNEL, ts: reply, thread_ts: ts, text: "A _reply_" },
    { __table__: "reactions", channel_id: CHANNEL, ts, name: "eyes" },
  ],
  ...{ updates: [], deletes: [] },
});

/** `id`: the identifier, as the tools name it. */
type Saved = { readonly id: string; readonly uuid: string };

async function issueThrough(driver: Driver): Promise<Saved> {
  const call = (name: string, args: object) => resultOf(driver, "tracker", name, args);
  const created: Saved = await call("save_issue", {
    ...{ team: "ENG", title: TITLE, description: TEXT, labels: ["Bug"], priority: 2 },
    assignee: "me",
  });
  const { id } = created;
  await call("save_issue", { id, state: "In Progress", assignee: null, labels: [] });
  await call("save_comment", { issueId: id, body: TEXT });
  const issue = await call("get_issue", { id });
  const { comments } = await call("list_comments", { issueId: id });
  const rejected = await expectRejected(driver, "tracker", "get_issue", { id: "ENG-4321" });

  expect(created).toMatchObject({ title: TITLE, labels: ["Bug"], assigneeId: JOHN });
  expect(issue).toMatchObject({ id, description: TEXT, status: "In Progress", labels: [] });
  expect(issue).not.toHaveProperty("assigneeId");
  expect(comments).toMatchObject([{ body: TEXT }]);
  rejected.toContain("Could not find referenced Issue.");
  return created;
}

async function expectIssue(program: TestProgram, tracker: Environment, { id }: Saved) {
  const query = `{ issue(id: "${id}") { title description priority assignee { id } state { name }
    labels { nodes { name } } comments { nodes { body } } } }`;
  const response = await fetch(`${program.url}${tracker.environmentUrl}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: tracker.token },
    body: JSON.stringify({ query }),
  });

  const { data }: any = await response.json();

  expect(data.issue).toEqual({
    ...{ title: TITLE, description: TEXT, priority: 2, assignee: null },
    ...{ state: { name: "In Progress" }, labels: { nodes: [] } },
    comments: { nodes: [{ body: TEXT }] },
  });
}

const trackerDiff = ({ id, uuid }: Saved) => ({
  inserts: [
    { __table__: "comments", issueId: uuid, userId: JOHN, body: TEXT },
    {
      ...{ __table__: "issue_history", issueId: uuid, actorId: JOHN },
      ...{ fromAssigneeId: JOHN, toAssigneeId: null, removedLabelIds: [expect.any(String)] },
    },
    { __table__: "issue_subscribers", issueId: uuid, userId: JOHN },
    {
      ...{ __table__: "issues", id: uuid, identifier: id, title: TITLE, description: TEXT },
      ...{ priority: 2, assigneeId: null, creatorId: JOHN },
    },
  ],
  ...{ updates: [], deletes: [] },
});
