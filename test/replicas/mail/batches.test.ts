/** Several calls in one request. */
import { describe, expect, test } from "bun:test";
import { postBatch } from "../../support/batches";
import { expectStatus } from "../../support/program";
import { rawOf, useScene } from "./scene";

const scene = useScene();
const PROFILE = { path: "/gmail/v1/users/me/profile" };
const send = (subject: string) => ({
  verb: "POST",
  path: "/gmail/v1/users/me/messages/send",
  body: { raw: rawOf({ to: "john@acme.test", subject }) },
});

const batchUrl = ({ environmentUrl }: { environmentUrl: string }, path = "batch/gmail/v1") =>
  `${scene.program.url}${environmentUrl}/${path}`;

describe("a batch", () => {
  test.each(["batch", "batch/gmail/v1"])("at %s answers each of its calls", async (path) => {
    const environment = await scene.environment();

    const { status, answers } = await postBatch(batchUrl(environment, path), [
      PROFILE,
      { path: `${environment.environmentUrl}/gmail/v1/users/me/labels/INBOX?fields=id` },
      { path: "/gmail/v1/users/me/messages/xyz" },
      { path: "https://gmail.googleapis.com/gmail/v1/users/me/profile?fields=emailAddress" },
      { path: "/drive/v3/files" },
      { verb: "POST", path: "/batch", body: {} },
      send("In a batch"),
    ]);

    expect(status).toBe(200);
    expect(answers).toEqual([
      {
        ...{ id: "<response-x + 0>", status: 200 },
        body: expect.objectContaining({ emailAddress: "agent@acme.test" }),
      },
      { id: "<response-x + 1>", status: 200, body: { id: "INBOX" } },
      { id: "<response-x + 2>", status: 400, body: { error: expect.any(Object) } },
      { id: "<response-x + 3>", status: 200, body: { emailAddress: "agent@acme.test" } },
      { id: "<response-x + 4>", status: 404, body: expect.stringContaining("404") },
      { id: "<response-x + 5>", status: 404, body: expect.stringContaining("404") },
      {
        ...{ id: "<response-x + 6>", status: 200 },
        body: expect.objectContaining({ labelIds: ["SENT"] }),
      },
    ]);
  });

  test("has a line for each call in the journal, and faults strike each", async () => {
    const environment = await scene.environment();
    const { environmentId: envId } = environment;
    const faults = [{ method: "messages.send", fault: "rate_limited", when: { after: 1 } }];
    expectStatus(await scene.program.call("PUT", `/env/${envId}/faults`, { faults }), 200);
    const { body: started } = await scene.program.post("/startRun", { envId });

    const { answers } = await postBatch(batchUrl(environment), [send("1"), PROFILE, send("2")]);
    await scene.program.post("/diffRun", { runId: started.runId });
    const { body: journal } = await scene.program.get(`/runs/${started.runId}/calls`);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(
      journal.calls.map(({ name, status, changes, fault }: any) => [
        ...[name, status, changes.length > 0, fault],
      ]),
    ).toEqual([
      ["messages.send", 200, true, null],
      ["getProfile", 200, false, null],
      ["messages.send", 429, false, "rate_limited"],
    ]);
  });

  test.each([
    ["more than 100 calls", Array(101).fill(PROFILE)],
    ["a call that is no path", [{ path: "x" }]],
  ])("is rejected with %s", async (_case, calls) => {
    const { status, body } = await postBatch(batchUrl(await scene.environment()), calls);

    expect([status, body.error.message]).toEqual([
      400,
      expect.stringContaining("Failed to parse batch request"),
    ]);
  });

  test("opens no other environment than its own credential does", async () => {
    const [own, other] = [await scene.environment(), await scene.environment()];

    const { answers } = await postBatch(
      batchUrl(own),
      [
        PROFILE,
        {
          path: `${other.environmentUrl}/gmail/v1/users/me/profile`,
          headers: `Authorization: Bearer ${other.token}\r\n`,
        },
      ],
      { Authorization: `Bearer ${own.token}` },
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  });
});
