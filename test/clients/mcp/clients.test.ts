/** Official SDKs and frameworks for agents, unmodified, against the tools of both services. */
import { describe, expect, test } from "bun:test";
import guide from "~/docs/mcp.md" with { type: "text" };
import { useDatabase } from "../../support/database";
import { lacks } from "../../support/packages";
import { useProgram } from "../../support/program";
import { CLIENTS } from "./clients";
import { play } from "./scenario";

const MINUTES = 60_000;
const program = useProgram(useDatabase(), {
  ENVIRONMENT_POOL_TARGETS: "chat_default:2,tracker_default:2",
});

for (const { name, version, revisions, needs, command } of CLIENTS)
  describe.skipIf(lacks(...needs))(`${name} ${version}`, () => {
    test.each([...revisions])(
      "reads, writes and is rejected in %s",
      async (revision) => {
        await play(program, revision, await command());
      },
      8 * MINUTES,
    );
  });

test("the guide lists these clients", () => {
  const rows = guide.replaceAll(/ +/g, " ").split("\n");
  const played = rows.filter((row) => row.endsWith("| plays the scenario |"));

  expect(played).toEqual(
    CLIENTS.map(
      ({ name, version, revisions }) =>
        `| \`${name}\` | ${version} | ${revisions.join(", ")} | plays the scenario |`,
    ),
  );
});
