/** The tools of an episode. */
import { expect, test } from "bun:test";
import { toolsOf } from "~/platform/openenv/tools";
import type { SuiteRow } from "~/platform/suites/store";

test("are those of the services in which its person has an account", () => {
  const suite = { service: "world", services: ["chat", "tracker"], actingUserId: "U01AGENTONE" };
  const namesFor = (actors: { readonly [service: string]: string | null }) =>
    toolsOf(suite as unknown as SuiteRow, actors).map(({ name }) => name);
  const [chat, both] = [
    namesFor({ chat: "U01AGENTONE", tracker: null }),
    namesFor({ chat: "U01AGENTONE", tracker: "2790a7ee-fde0-4537-9588-e233aa5a68d1" }),
  ];

  expect(both).toEqual(expect.arrayContaining(["slack_send_message", "save_issue", "submit"]));
  expect(chat).toEqual(both.filter((name) => name === "submit" || name.startsWith("slack_")));
});
