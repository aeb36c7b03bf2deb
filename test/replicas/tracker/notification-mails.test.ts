import { beforeAll, expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { restCall } from "../../support/rest";

const program = useProgram(useDatabase());

type Place = { readonly environmentId: string };

const call = async ({ environmentId }: Place, path: string, token: string, body?: object) => {
  const url = `${program.url}/api/env/${environmentId}/services/${path}`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const answer = await restCall(url, body ? "POST" : "GET", headers, body);
  expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined]);
  return answer.body;
};

const ids = new Map<string, string>();
const idOf = (name: string) => ids.get(`${name}@acme.test`) ?? "";
let world: Place;

/** As a person of the workspace. */
const ask = async (query: string, name = "agent", place = world) =>
  (await call(place, "tracker/graphql", idOf(name), { query })).data;

const turnOn = (preferences: string, name: string, place = world) =>
  ask(
    `mutation { userSettingsUpdate(id: "${idOf(name)}", input: { ${preferences} }) { success } }`,
    name,
    place,
  );

const WANTED = {
  ...{ templateService: "world", templateName: "acme" },
  ...{ impersonateUserId: undefined, impersonateEmail: "agent@acme.test" },
};
const ALL = "notificationChannelPreferences: { email: true }";

/** The mails of the service in a mailbox, in any order. */
async function mailsOf(name: string, place = world) {
  const path = `mail/gmail/v1/users/me/messages`;
  const { messages = [] } = await call(
    place,
    `${path}?q=from:notifications@linear.app`,
    `${name}@acme.test`,
  );
  const mails = [];
  for (const { id } of messages) {
    const { payload } = await call(place, `${path}/${id}`, `${name}@acme.test`);
    const subject = payload.headers.find((header: any) => header.name === "Subject").value;
    mails.push({ subject, text: Buffer.from(payload.body.data, "base64url").toString().trim() });
  }
  return mails;
}

const comment = (issue: string, body: string, name = "agent") =>
  ask(
    `mutation { commentCreate(input: { issueId: "${issue}", body: "${body}" }) { success } }`,
    name,
  );

beforeAll(async () => {
  world = await program.environment(WANTED);
  const token = "agent@acme.test";
  const query = "{ users { nodes { id email } } }";
  const { data } = await call(world, "tracker/graphql", token, { query });
  for (const { id, email } of data.users.nodes) ids.set(email, id);
});

test("nobody gets a notification by mail before they turn it on", async () => {
  await comment("ENG-2", "Not mailed");

  expect(await mailsOf("john")).toEqual([]);
});

test("a user who turned it on gets each notification by mail", async () => {
  await turnOn(ALL, "john");
  await comment("ENG-2", "Which release has this?");
  await ask(
    `mutation { issueUpdate(id: "ENG-3", input: { assigneeId: "${idOf("john")}" }) { success } }`,
  );
  await comment("ENG-2", "My own comment", "john");

  expect(await mailsOf("john")).toEqual(
    expect.arrayContaining([
      {
        subject: "ENG-2 Login fails when the email has capital letters",
        text: expect.stringMatching(
          /^Agent Smith commented on the issue\.\r?\n\r?\nWhich release has this\?\r?\n\r?\nhttps:\/\/linear\.app\/acme\/issue\/ENG-2\/login/,
        ),
      },
      {
        subject: "ENG-3 Export reports as CSV",
        text: expect.stringMatching(/^Agent Smith assigned the issue to you\./),
      },
    ]),
  );
  expect(await mailsOf("john")).toHaveLength(2);
  expect(await mailsOf("robin")).toEqual([]);
});

test("a category that is turned on is mailed, and no other", async () => {
  await turnOn("notificationCategoryPreferences: { mentions: { email: true } }", "robin");
  await comment("ENG-2", "A comment like any other");
  await comment("ENG-2", "@robin: look at this");

  expect(await mailsOf("robin")).toMatchObject([
    { text: expect.stringMatching(/^Agent Smith mentioned you in a comment\./) },
  ]);
});

test("what is no issue is mailed too", async () => {
  await turnOn(ALL, "john");
  const { teams } = await ask("{ teams { nodes { id } } }");
  const input = `{ name: "Relaunch", teamIds: ["${teams.nodes[0].id}"], leadId: "${idOf("john")}" }`;
  await ask(`mutation { projectCreate(input: ${input}) { success } }`);

  expect(await mailsOf("john")).toContainEqual({
    subject: "Relaunch",
    text: expect.stringMatching(
      /^Agent Smith made you the lead of the project\.\r?\n\r?\nhttps:\/\/linear\.app\/acme\/project\/relaunch-/,
    ),
  });
});

test("a reminder is mailed at its time", async () => {
  const moved = await program.environment({
    ...WANTED,
    clock: { mode: "frozen", now: "2026-02-02T09:00:00Z" },
  });
  await turnOn(ALL, "john", moved);
  const reminder = `issueReminder(id: "ENG-2", reminderAt: "2026-02-02T10:00:00Z")`;
  await ask(`mutation { ${reminder} { success } }`, "john", moved);
  expect(await mailsOf("john", moved)).toEqual([]);
  await program.post(`/env/${moved.environmentId}/clock`, { to: "2026-02-02T10:00:00Z" });

  expect(await mailsOf("john", moved)).toMatchObject([
    { text: expect.stringMatching(/^Issue reminder\./) },
  ]);
});
