/** The official client's webhook handler verifies what `diorama listen` brings, and knows its types. */
import { expect, test } from "bun:test";
import { LinearClient } from "@linear/sdk";
import { LinearWebhookClient, type LinearWebhookPayload } from "@linear/sdk/webhooks";
import { useCommands } from "../support/commands";
import { eventually, useDatabase } from "../support/database";
import { useProgram } from "../support/program";
import { AGENT, ENG, JOHN } from "../support/tracker";

const program = useProgram(useDatabase());
const commands = useCommands(program);
const APP = "9f0c1d52-6d0b-4c29-a37e-0f7a3f0f8b11";

test("its handlers get the events of an environment whose clock stands at another date", async () => {
  const types = ["Issue", "Comment", "AppUserNotification"];
  const environment = await program.environment({
    ...{ templateService: "tracker", templateName: "tracker_default", impersonateUserId: JOHN },
    clock: { now: "2026-03-11T09:00:00Z", mode: "frozen" },
    events: { apps: [{ app: APP, userId: AGENT, events: types }] },
  });
  const { environmentId, environmentUrl, token, apps } = environment;
  const handler = new LinearWebhookClient(apps[0].signingSecret).createHandler();
  const all: LinearWebhookPayload[] = [];
  const texts: string[] = [];
  const statuses: number[] = [];
  handler.on("*", (payload) => void all.push(payload));
  handler.on("Issue", ({ action, data }) => void texts.push(`${action} ${data.identifier}`));
  handler.on("Comment", ({ data }) => void texts.push(`${data.user?.name}: ${data.body}`));
  handler.on("AppUserNotification", ({ notification }) => void texts.push(notification.type));
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      const answer = await handler(request);
      statuses.push(answer.status);
      return answer;
    },
  });
  const to = `http://127.0.0.1:${server.port}/`;
  const listening = commands.start(["listen", environmentId, "--forward-to", to]);

  const linear = new LinearClient({
    apiKey: token,
    apiUrl: `${program.url}${environmentUrl}/graphql`,
  });
  const { issueId } = await linear.createIssue({ teamId: ENG, title: "Ship it" });
  await linear.createComment({ issueId: issueId!, body: "@agent, please" });

  try {
    await eventually(() => expect(all).toHaveLength(3));
    expect(statuses).toEqual([200, 200, 200]);
    expect(texts.map((text) => text.replace(/\d+$/, "N")).toSorted()).toEqual([
      ...["John Doe: @agent, please", "create ENG-N", "issueCommentMention"],
    ]);
    expect(all[0]?.createdAt as unknown).toBe("2026-03-11T09:00:00.000Z");
  } finally {
    listening.kill("SIGKILL");
    server.stop(true);
  }
});
