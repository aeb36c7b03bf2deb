import { expect, test } from "bun:test";
import { join } from "node:path";
import { AGENT, CHANNEL, TEAM, TEMPLATE } from "../../../scripts/bench/server";

const seed = (name: string) =>
  Bun.file(join(import.meta.dir, `../../../seeds/${name}.yaml`)).text();

/** The top-level section of a seed that declares an id. */
function sectionOf(text: string, id: string): string | undefined {
  let section: string | undefined;
  for (const line of text.split("\n")) {
    section = /^(\w+):/.exec(line)?.[1] ?? section;
    if (line.includes(`id: ${id}`)) return section;
  }
  return undefined;
}

test("the bench names a team, a user and a channel that its templates have", async () => {
  const [base, expanded] = await Promise.all([seed("tracker_base"), seed("tracker_expanded")]);
  const chat = `${await seed("chat_base")}\n${await seed(TEMPLATE)}`;

  expect(sectionOf(expanded, TEAM)).toBe("teams");
  expect(sectionOf(`${expanded}\n${base}`, AGENT)).toBe("users");
  expect(sectionOf(chat, CHANNEL)).toBe("channels");
});
