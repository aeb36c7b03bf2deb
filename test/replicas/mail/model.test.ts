/**
 * Random sequences of calls by three people leave the rows of a small model, and the diff of a run is the difference of
 * two dumps. `MODEL_RUNS=200` plays more.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { difference, keysOf, sorted, stateOf } from "../../../scripts/oracle";
import { expectStatus } from "../../support/program";
import { pick, playSequences } from "../../support/sequences";
import { bare } from "../../support/worlds";
import { baseOf, type Mail, MailModel, type Message } from "./model";
import { type Environment, rawOf, useScene } from "./scene";

const scene = useScene();

const PEOPLE = ["agent@acme.test", "john@acme.test", "robin@acme.test"];
const TEAM = "team@acme.test";
const ADDRESSES = [...PEOPLE, ...PEOPLE, TEAM, "nobody@acme.test", "tess@northwind.test"];
const SYSTEM = ["STARRED", "UNREAD", "INBOX", "TRASH", "SPAM", "IMPORTANT"];
const NAMES = ["Bills", "bills", "To do", "to-do", "Plans"];

const number = fc.nat({ max: 1_000 });
const about = { actor: fc.constantFrom(...PEOPLE), n: number, m: number };
const verb = (weight: number, kind: string, values: object = {}) => ({
  weight,
  arbitrary: fc.record({
    kind: fc.constant(kind),
    ...about,
    ...values,
  } as any) as fc.Arbitrary<Step>,
});
type Step = {
  readonly kind: string;
  readonly actor: string;
  readonly n: number;
  readonly m: number;
  readonly to: string[];
  readonly isReply: boolean;
  readonly inThread: boolean;
  readonly keepsSubject: boolean;
};
const to = fc.array(fc.constantFrom(...ADDRESSES), { maxLength: 3 });
const flags = { isReply: fc.boolean(), inThread: fc.boolean(), keepsSubject: fc.boolean() };
const steps = fc.oneof(
  verb(10, "send", { to, ...flags }),
  verb(5, "modify"),
  verb(3, "modifyThread"),
  verb(2, "batchModify"),
  verb(2, "trash"),
  verb(2, "untrash"),
  verb(2, "delete"),
  verb(1, "deleteThread"),
  verb(4, "draft", { to, ...flags }),
  verb(3, "updateDraft", { to }),
  verb(3, "sendDraft", { to }),
  verb(1, "deleteDraft"),
  verb(3, "label"),
  verb(1, "deleteLabel"),
  verb(3, "filter"),
  verb(1, "deleteFilter"),
);

type Player = {
  readonly env: Environment;
  readonly model: MailModel;
  readonly call: (verb: string, path: string, body?: object) => Promise<any>;
};

const messageIdOf = async ({ call }: Player, { id }: Message): Promise<string> => {
  const path = `messages/${id}?format=metadata&metadataHeaders=Message-ID`;
  const { body } = await call("GET", path);
  return body.payload.headers[0].value;
};

let subjects = 0;
/** The mail of a step, and its bytes. */
async function written(player: Player, { to, isReply, inThread, keepsSubject, actor, n }: Step) {
  const own = player.model.of(actor);
  const answers = isReply && own.length > 0 ? pick(own, n) : undefined;
  const subject =
    answers && keepsSubject
      ? `Re: ${baseOf(answers.subject)}`
      : `Matter ${++subjects} kind${n % 3}`;
  const mail: Mail = { subject, to: [...new Set(to)], answers, inThread: inThread && !!answers };
  const headers = answers && { "In-Reply-To": await messageIdOf(player, answers) };
  const raw = rawOf({
    ...(to.length > 0 && { to: to.join(", ") }),
    subject,
    ...(headers && { headers }),
  });
  return { mail, raw, ...(mail.inThread && { threadId: answers?.thread.id ?? "" }) };
}

/** The labels that a step adds and removes: different ones. */
function changeOf({ model }: Player, { actor, n, m }: Step) {
  const own = model.labels.filter(({ mailbox }) => mailbox === actor).map(({ id }) => id);
  const all = [...SYSTEM, ...own];
  const [add, remove] = [pick(all, n), pick(all, m)];
  return { add: [add], remove: remove === add ? [] : [remove] };
}

/** Makes the call of a step. Returns the statuses of the service and of the model. */
async function play(player: Player, step: Step): Promise<[number, number] | undefined> {
  const { model, call } = player;
  const { kind, actor, n, m } = step;
  const own = model.of(actor);
  const drafts = own.filter(({ draft }) => draft !== undefined);
  const message = own.length > 0 ? pick(own, n * 31 + m) : undefined;
  const draft = drafts.length > 0 ? pick(drafts, n) : undefined;
  const { add, remove } = changeOf(player, step);
  const change = { addLabelIds: add, removeLabelIds: remove };
  switch (kind) {
    case "send": {
      const { mail, ...body } = await written(player, step);
      return [(await call("POST", "messages/send", body)).status, model.send(actor, mail)];
    }
    case "draft": {
      const { mail, ...content } = await written(player, step);
      const answer = await call("POST", "drafts", { message: content });
      model.saveDraft(actor, mail).draft = answer.body.id;
      return [answer.status, 200];
    }
    case "label": {
      const name = pick(NAMES, n);
      const { status, body } = await call("POST", "labels", { name });
      const expected = model.createLabel(actor, name);
      if (expected === 200) model.labels.push({ id: body.id, mailbox: actor, name });
      return [status, expected];
    }
    case "deleteLabel": {
      const id = `Label_${(n % 6) + 1}`;
      const { status } = await call("DELETE", `labels/${id}`);
      return [status, model.deleteLabel(actor, id)];
    }
    case "filter": {
      const subject = `kind${n % 3}`;
      const body = { criteria: { subject }, action: change };
      const { status, body: made } = await call("POST", "settings/filters", body);
      const isSame = ({ mailbox, ...filter }: (typeof model.filters)[number]) =>
        mailbox === actor &&
        filter.subject === subject &&
        `${filter.add} ${filter.remove}` === `${add} ${remove}`;
      if (model.filters.some(isSame)) return [status, 400];
      model.filters.push({ id: made.id, mailbox: actor, subject, add, remove });
      model.filters.sort((a, b) => (a.id < b.id ? -1 : 1));
      return [status, 200];
    }
    case "deleteFilter": {
      const mine = model.filters.filter(({ mailbox }) => mailbox === actor);
      if (mine.length === 0) return undefined;
      const { id } = pick(mine, n);
      model.filters = model.filters.filter((each) => each.id !== id);
      return [(await call("DELETE", `settings/filters/${id}`)).status, 200];
    }
  }
  if (draft && kind === "updateDraft") {
    const subject = `Matter ${++subjects} kind${n % 3}`;
    const raw = rawOf({ subject, to: "john@acme.test" });
    const answer = await call("PUT", `drafts/${draft.draft}`, { message: { raw } });
    model.updateDraft(draft, subject).draft = draft.draft ?? "";
    return [answer.status, 200];
  }
  if (draft && kind === "sendDraft") {
    const { draft: id, subject } = draft;
    const to = [...new Set(step.to)];
    const raw = rawOf({ subject, ...(to.length > 0 && { to: to.join(", ") }) });
    const answer = await call("POST", "drafts/send", { id, message: { raw } });
    return [answer.status, model.sendDraft(draft, to)];
  }
  if (draft && kind === "deleteDraft")
    return [(await call("DELETE", `drafts/${draft.draft}`)).status, model.remove([draft])];
  if (!message || /draft/i.test(kind)) return undefined;
  const place = `messages/${message.id}`;
  const thread = `threads/${message.thread.id}`;
  switch (kind) {
    case "modify":
      return [
        (await call("POST", `${place}/modify`, change)).status,
        model.relabel([message], add, remove),
      ];
    case "modifyThread":
      return [
        (await call("POST", `${thread}/modify`, change)).status,
        model.relabel(model.inThread(message), add, remove),
      ];
    case "batchModify": {
      const ids = own.filter((_, at) => at % 2 === n % 2);
      if (ids.length === 0) return undefined;
      const body = { ids: ids.map(({ id }) => id), ...change };
      const { status } = await call("POST", "messages/batchModify", body);
      return [status, model.relabel(ids, add, remove)];
    }
    case "trash":
      return [
        (await call("POST", `${place}/trash`)).status,
        model.relabel([message], ["TRASH"], []),
      ];
    case "untrash":
      return [
        (await call("POST", `${place}/untrash`)).status,
        model.relabel([message], [], ["TRASH"]),
      ];
    case "delete":
      return [(await call("DELETE", place)).status, model.remove([message])];
    case "deleteThread":
      return [(await call("DELETE", thread)).status, model.remove(model.inThread(message))];
  }
  throw new Error(`there is no step ${kind}`);
}

type Row = { mailbox: string; id: string; threadId: string; subject: string; labelIds: string[] };

const rowsOf = ({ schemaName }: Environment) =>
  scene.database.sql.unsafe<Row[]>(
    `select mailbox, id, "threadId", subject, "labelIds" from ${schemaName}.messages order by id`,
  );

/** Gives the messages that a call has added the ids of their rows. There must be no other new rows. */
function readIds(model: MailModel, rows: readonly Row[]): void {
  const known = new Set(model.messages.map(({ mailbox, id }) => `${mailbox} ${id}`));
  const fresh = rows.filter(({ mailbox, id }) => !known.has(`${mailbox} ${id}`));
  for (const message of model.added) {
    const at = fresh.findIndex(
      ({ mailbox, subject }) => mailbox === message.mailbox && subject === message.subject,
    );
    const [row] = at < 0 ? [] : fresh.splice(at, 1);
    if (!row) throw new Error(`no row of ${message.mailbox}: ${message.subject}`);
    message.id = row.id;
  }
  model.added = [];
  expect(fresh).toEqual([]);
}

const line = (...values: unknown[]) => values.join(" | ");

async function expectRows(env: Environment, model: MailModel): Promise<void> {
  const rows = await rowsOf(env);
  expect(
    rows.map((row) =>
      line(row.mailbox, row.id, row.threadId, row.subject, row.labelIds.toSorted()),
    ),
  ).toEqual(
    model.messages
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map((each) =>
        line(each.mailbox, each.id, each.thread.id, each.subject, each.labels.toSorted()),
      ),
  );
  const drafts = await scene.database.sql.unsafe<{ id: string; messageId: string }[]>(
    `select id, "messageId" from ${env.schemaName}.drafts`,
  );
  expect(drafts.map(({ id, messageId }) => line(id, messageId)).toSorted()).toEqual(
    model.messages.flatMap(({ draft, id }) => (draft ? [line(draft, id)] : [])).toSorted(),
  );
}

const isDeletion = /^delete|batchModify/;

test("a sequence of calls has the answers, the rows and the diff of the model", async () => {
  const seen = new Set<string>();
  const { sql } = scene.database;

  await playSequences(steps, async (sequence) => {
    const env = await scene.environment({ templateName: "mail_base", allowImpersonation: true });
    const { schemaName: schema, environmentId: envId } = env;
    const model = new MailModel(PEOPLE, { [TEAM]: PEOPLE });
    for (const id of ["Label_1", "Label_2"])
      model.labels.push({ id, mailbox: "agent@acme.test", name: id });
    const keys = await keysOf(sql, schema);
    const before = await stateOf(sql, schema, keys);
    const started = await scene.program.post("/startRun", { envId });
    expectStatus(started, 201);
    const log: string[] = [];
    try {
      for (const step of sequence) {
        const { actor, kind } = step;
        const headers = { "X-API-Key": env.token, Authorization: `Bearer ${actor}` };
        const call: Player["call"] = (verb, path, body) =>
          scene.callAs(headers, env, verb, path, body);
        const outcome = await play({ env, model, call }, step);
        log.push(`${JSON.stringify(step)}: ${outcome}`);
        if (!outcome) continue;
        const [status, expected] = outcome;
        seen.add(`${kind} ${status}`);
        expect(status === 204 ? 200 : status).toBe(expected);
        if (status === 204) expect(kind).toMatch(isDeletion);
        if (model.added.length > 0) readIds(model, await rowsOf(env));
      }
      await expectRows(env, model);
      const after = await stateOf(sql, schema, keys);
      const { body } = await scene.program.post("/diffRun", { runId: started.body.runId });
      expect(sorted(bare(body.diff))).toBe(sorted(difference(before, after, keys)));
    } catch (error) {
      throw new Error(`${log.join("\n")}\n${String(error)}`, { cause: error });
    }
  });

  // Enough of the rules were reached.
  expect(seen.size).toBeGreaterThan(18);
}, 600_000);
