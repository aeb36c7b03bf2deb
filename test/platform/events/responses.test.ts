/** Messages that apps send to the address that came with an act. */
import { describe, expect, test } from "bun:test";
import {
  button,
  type Environment,
  FROZEN,
  GENERAL,
  JOHN,
  plain,
  useActing,
} from "../../support/acting";
import { eventually, useSharedDatabase } from "../../support/database";
import { expectStatus, startTestProgram, useProgram } from "../../support/program";

const database = useSharedDatabase();
const program = useProgram(database);
const { withApp, connect, act, post } = useActing(program);

const blocks = [{ type: "actions", block_id: "choice", elements: [button] }];
const click = { type: "block_actions", user: JOHN, channel: GENERAL, action_id: "approve" };

/** A message with a button that John has used, and how its app answers. */
async function clicked(environment: Environment, fields: object = {}) {
  const app = await connect(environment);
  const message = await post(environment, { blocks, ...fields });
  expectStatus(await act(environment, { ...click, message, ...fields }), 200);
  const { response_url: url } = (await app.acted()).payload;
  return { app, message, url, respond: (body: object) => send(url, body) };
}

async function send(url: string, body: object, init: RequestInit = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...init,
  });
  const text = await answer.text();
  return { status: answer.status, text, error: text.startsWith("{") ? JSON.parse(text).error : "" };
}

const OK = { status: 200, text: "ok", error: "" };
const history = async (environment: Environment, channel = GENERAL) =>
  (await program.chat(environment, "conversations.history", { channel, limit: 2 })).messages;

async function diffOf({ environmentId: envId }: Environment, work: () => Promise<unknown>) {
  const { runId } = (await program.post("/startRun", { envId })).body;
  await work();
  const { diff } = (await program.post("/diffRun", { runId })).body;
  return { runId, diff };
}

describe("a response", () => {
  test("replaces the message in which the person acted, unless it says otherwise", async () => {
    const environment = await withApp();
    const { message, respond } = await clicked(environment);
    expect(await respond({ text: "Approved by <@U02JOHNADOE>" })).toEqual(OK);
    const [replaced] = await history(environment);
    expect(replaced).toMatchObject({ ts: message, text: "Approved by <@U02JOHNADOE>" });
    expect(replaced.blocks).toMatchObject([{ type: "rich_text" }]);
    expect(await respond({ replace_original: "true", text: "x", blocks })).toEqual(OK);
    expect((await history(environment))[0].blocks).toMatchObject([{ block_id: "choice" }]);

    const added = { text: "done", response_type: "in_channel", replace_original: false };
    expect(await respond(added)).toEqual(OK);
    expect(await history(environment)).toMatchObject([
      { text: "done" },
      { ts: message, text: "x" },
    ]);
    expect(await respond({ ...added, text: "in it", thread_ts: message })).toEqual(OK);
    const { messages } = await program.chat(environment, "conversations.replies", {
      channel: GENERAL,
      ts: message,
    });
    expect(messages.at(-1)).toMatchObject({ text: "in it", thread_ts: message });
  });

  test("is for the person alone by default, and changes or removes that message", async () => {
    const environment = await withApp();
    const { app, respond } = await clicked(environment);
    const { diff } = await diffOf(environment, async () =>
      expect(await respond({ text: "only you", blocks, replace_original: false })).toEqual(OK),
    );
    const [own] = diff.inserts;
    expect(diff.inserts).toHaveLength(1);
    expect(own).toMatchObject({ __table__: "ephemeral_messages", user_id: JOHN, text: "only you" });

    const second = { ...click, message: own.message_ts };
    expectStatus(await act(environment, second), 200);
    const url = (await app.acted(2)).payload.response_url;
    const changed = await diffOf(environment, async () =>
      expect(await send(url, { text: "changed" })).toEqual(OK),
    );
    expect(changed.diff.updates).toMatchObject([
      { __table__: "ephemeral_messages", after: { text: "changed", blocks: null } },
    ]);
    const gone = await diffOf(environment, async () =>
      expect(await send(url, { delete_original: true })).toEqual(OK),
    );
    expect(gone.diff.deletes).toMatchObject([{ __table__: "ephemeral_messages" }]);
    expect(await send(url, { text: "again" })).toMatchObject({
      ...{ status: 400, error: "message_not_found" },
    });
  });

  test("removes the message, with another one in its place or without", async () => {
    const environment = await withApp();
    const { message, respond } = await clicked(environment);
    const moved = { delete_original: true, response_type: "in_channel", text: "moved" };
    expect(await respond(moved)).toEqual(OK);
    const [latest, before] = await history(environment);
    expect(latest).toMatchObject({ text: "moved" });
    expect(before.ts).not.toBe(message);
  });

  test("reaches a private channel in which the app is no member any more", async () => {
    const environment = await withApp();
    const call = (method: string, args: object) => program.chat(environment, method, args);
    const made = await call("conversations.create", { name: "secret", is_private: true });
    const channel = made.channel.id;
    await call("conversations.invite", { channel, users: JOHN });
    const { respond } = await clicked(environment, { channel });
    expect(await call("conversations.leave", { channel })).toMatchObject({ ok: true });
    const added = { text: "still", response_type: "in_channel", replace_original: false };
    expect(await respond(added)).toEqual(OK);
  });

  test("is a call of the run, without its secret", async () => {
    const environment = await withApp();
    const { url, respond } = await clicked(environment);
    const { runId } = await diffOf(environment, () => respond({ text: "Approved" }));
    const calls = await eventually(async () => {
      const { body } = await program.get(`/runs/${runId}/calls`);
      if (body.calls.length === 0) throw new Error("none yet");
      return body.calls;
    });
    expect(calls).toMatchObject([
      { name: "actions", arguments: { text: "Approved" }, status: 200, error: null },
    ]);
    expect(JSON.stringify(calls)).not.toContain(url.split("/").at(-1));
  });

  test("is read from a form, too", async () => {
    const environment = await withApp();
    const { url } = await clicked(environment);
    const body = new URLSearchParams({ payload: JSON.stringify({ text: "as a form" }) });
    expect(await send(url, {}, { body, headers: {} })).toEqual(OK);
    expect((await history(environment))[0].text).toBe("as a form");
  });
});

describe("the address", () => {
  test("serves five times, also on another server", async () => {
    const environment = await withApp();
    const { url, respond } = await clicked(environment);
    const another = await startTestProgram(database);
    const there = url.replace(program.url, another.url);
    for (let n = 0; n < 2; n++) expect(await respond({ text: `${n}` })).toEqual(OK);
    for (let n = 0; n < 3; n++) expect(await send(there, { text: `${n}` })).toEqual(OK);
    const used = { status: 404, error: "used_url" };
    expect(await respond({ text: "6" })).toMatchObject(used);
    await another.program.stop();
    expect(await respond({ text: "7" })).toMatchObject(used);
  });

  test("serves for 30 minutes of the environment", async () => {
    const environment = await withApp(FROZEN);
    const { respond } = await clicked(environment);
    const clock = `/env/${environment.environmentId}/clock`;
    expectStatus(await program.post(clock, { advance: "PT30M" }), 200);
    expect(await respond({ text: "in time" })).toEqual(OK);
    expectStatus(await program.post(clock, { advance: "PT1S" }), 200);
    expect(await respond({ text: "late" })).toMatchObject({ status: 404, error: "expired_url" });
  });

  test("is of one act in one environment, and takes a message", async () => {
    const environment = await withApp();
    const { url, respond } = await clicked(environment);
    const other = await withApp();
    const invalid = { status: 404, error: "invalid_url" };
    const text = { text: "x" };
    expect(await send(url.replace(/\/(\d+)\//, "/1/"), text)).toMatchObject(invalid);
    expect(await send(url.replace(/.{3}$/, "AAA"), text)).toMatchObject(invalid);
    const elsewhere = url.replace(environment.environmentId, other.environmentId);
    expect(await send(elsewhere, text)).toMatchObject(invalid);
    expect((await send(url, text, { method: "PUT" })).status).toBe(405);

    expect(await respond({})).toMatchObject({ status: 400, error: "no_text" });
    const wrong = { blocks: [{ type: "nothing" }] };
    expect(await respond(wrong)).toMatchObject({ status: 400, error: "invalid_blocks" });
    expect(await send(url, {}, { body: "{" })).toMatchObject({ error: "invalid_payload" });
    expect(await respond({ text: "x", response_type: "all" })).toMatchObject({
      error: "invalid_arguments",
    });
  });
});

test("a click that is answered in a thread shows where it was", async () => {
  const environment = await withApp();
  const root = await post(environment, { text: plain("root").text });
  const app = await connect(environment);
  const message = await post(environment, { blocks, thread_ts: root });
  expectStatus(await act(environment, { ...click, message }), 200);
  const { payload } = await app.acted();
  expect(payload.container).toMatchObject({ message_ts: message, thread_ts: root });
});
