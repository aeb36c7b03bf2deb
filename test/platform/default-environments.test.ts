/** Services at their own names, on a server in development. */
import { describe, expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { WebClient } from "@slack/web-api";
import { REPLICAS } from "~/replicas/index";
import { useDatabase } from "../support/database";
import { expectStatus, useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT: "development" });
const production = useProgram(database, { ENVIRONMENT: "production" });

const slack = () => new WebClient("xoxb-any", { slackApiUrl: `${program.url}/slack/api/` });
const environments = async () =>
  (await program.get("/environments?status=active")).body.environments as any[];

describe("a service at its own name", () => {
  test("answers its official client, in an environment that it shares with all calls", async () => {
    const before = (await environments()).length;

    const [posted, listed] = await Promise.all([
      slack().chat.postMessage({ channel: "C01GENERAL", text: "Hello" }),
      slack().conversations.list(),
    ]);
    const { messages } = await slack().conversations.history({ channel: "C01GENERAL" });

    expect([posted.ok, listed.ok]).toEqual([true, true]);
    expect(messages?.map(({ text }) => text)).toContain("Hello");
    const made = (await environments()).slice(0, -before || undefined);
    expect(made).toMatchObject([{ templateSchema: "chat_default" }]);
  });

  test("by both of its names, with any credential or none", async () => {
    const { viewer } = new LinearClient({ apiKey: "any", apiUrl: `${program.url}/linear/graphql` });
    const { email } = await viewer;
    const asked = await fetch(`${program.url}/tracker/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query: "{ viewer { email } }" }),
    });

    expect(await asked.json()).toEqual({ data: { viewer: { email } } });
    expect(email).toBe("agent@acme.test");
  });

  test("has another environment after the end of the first", async () => {
    await slack().chat.postMessage({ channel: "C01GENERAL", text: "Gone" });
    const old = (await environments()).find(({ service }) => service === "chat");
    expectStatus(await program.call("DELETE", `/env/${old.environmentId}`), 200);

    const { messages } = await slack().conversations.history({ channel: "C01GENERAL" });

    expect(messages?.map(({ text }) => text)).not.toContain("Gone");
  });

  test.each([...REPLICAS.keys()])("%s has a default template with the agent", async (service) => {
    const answer = await program.post("/initEnv", {
      ...{ templateService: service, templateName: `${service}_default` },
      impersonateEmail: "agent@acme.test",
    });
    expectStatus(answer, 201);
  });

  test("is nothing to a page of another site, and does not exist in production", async () => {
    const Origin = "https://example.com";
    const foreign = await fetch(`${program.url}/slack/auth.test`, { headers: { Origin } });
    expect([foreign.status, await foreign.json()]).toMatchObject([401, { error: "not_authed" }]);
    const missing = await fetch(`${production.url}/slack/auth.test`);
    expect(missing.status).toBe(401);
  });
});
