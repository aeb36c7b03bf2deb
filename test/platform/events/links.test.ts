/** An app that previews the links of its domains. */
import { expect, test } from "bun:test";
import { useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { APP, connectApp, openAddress } from "../../support/socket-mode";

const program = useProgram(useDatabase());
const GENERAL = "C01GENERAL";
const URL_SHARED = "https://docs.acme.test/plan";
const app = { app: APP, events: ["link_shared"], domains: ["ACME.test", "acme.test"] };
const put = (environmentId: string, apps: object[]) =>
  program.call("PUT", `/env/${environmentId}/events`, { apps });

test("receives a link that somebody posts, and sets its preview", async () => {
  const environment = await program.environment();
  const { environmentId, environmentUrl, token } = environment;
  const answer = await put(environmentId, [app]);
  expectStatus(answer, 200);
  expect(answer.body.apps[0].domains).toEqual(["acme.test"]);
  const { url } = await openAddress(program.url, environmentUrl, `xapp-1-${APP}-${token}`);
  const client = connectApp(url);
  await client.greeted();
  const say = { channel: GENERAL, text: `Please read ${URL_SHARED}` };
  const act = { as: "U02JOHNADOE", say };
  expectStatus(await program.post(`/env/${environmentId}/counterparts/act`, act), 200);
  await client.has(1);

  const { event } = client.envelopes()[0]?.["payload"] ?? {};
  expect(event).toMatchObject({
    ...{ type: "link_shared", channel: GENERAL, user: "U02JOHNADOE" },
    links: [{ domain: "acme.test", url: URL_SHARED }],
  });
  const { unfurl_id, source } = event;
  const preview = { unfurl_id, source, unfurls: { [URL_SHARED]: { text: "The plan" } } };
  expect(await program.chat(environment, "chat.unfurl", preview)).toMatchObject({ ok: true });
  const { messages } = await program.chat(environment, "conversations.history", {
    ...{ channel: GENERAL, limit: 1 },
  });
  expect(messages[0].attachments).toMatchObject([{ from_url: URL_SHARED, text: "The plan" }]);

  for (const [more, error] of [
    [{ unfurl_id }, "missing_source"],
    [{ unfurl_id: `${unfurl_id}0`, source }, "invalid_unfurl_id"],
    [{ source }, "missing_channel"],
  ] as const)
    expect(
      await program.chat(environment, "chat.unfurl", { unfurls: preview.unfurls, ...more }),
    ).toMatchObject({ ok: false, error });
  client.socket.close();
});

test("is refused where there are no such events, and with what is no domain", async () => {
  const { environmentId } = await program.environment();
  const refused = await put(environmentId, [{ ...app, domains: ["https://acme.test"] }]);
  expectRefusal(refused, 400, "invalid_request");
  const tracker = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default" },
    impersonateUserId: "b0000000-0000-4000-8000-000000000001",
  });
  const webhook = { app: "a0000000-0000-4000-8000-00000000000a", events: ["Issue"] };
  expectRefusal(
    await put(tracker.environmentId, [{ ...webhook, domains: ["acme.test"] }]),
    ...[400, "invalid_request" as const],
    "apps[0].domains: tracker has no events of links to domains",
  );
});
