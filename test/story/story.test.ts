/** The story of the product from outside, with the official client and every way of capturing: the same diff. */
import { afterAll, describe, expect, test } from "bun:test";
import { comparable, playStory } from "../../scripts/story";
import { waysOfCapturing } from "../support/clusters";
import { createDatabase, dropDatabase } from "../support/database";
import { startTestProgram } from "../support/program";

const ways = await waysOfCapturing();

const diffs = new Map<string, string>();

describe("the story", () => {
  test.each(ways)("has the same diff with $name", async ({ cluster, name, settings }) => {
    const database = await createDatabase(cluster);
    const { url, program } = await startTestProgram(database, settings);
    try {
      const { diff } = await playStory(url);

      expect(diff.inserts.map(({ __table__ }) => __table__)).toEqual([
        "channels",
        "channel_members",
        "messages",
        "messages",
        "reactions",
      ]);
      expect(diff.updates).toEqual([
        {
          __table__: "messages",
          key: { channel_id: "C02RANDOM", ts: "1767607800.990316" },
          before: { text: "I am ordering lunch for Friday. Who is in?", edited: null },
          after: {
            text: "Lunch is on Friday. Who is in?",
            edited: { user: "U01AGENTONE", ts: expect.any(String) },
          },
        },
      ]);
      expect(diff.deletes).toMatchObject([
        { __table__: "reactions", name: "eyes", user_id: "U01AGENTONE" },
      ]);
      diffs.set(name, comparable(diff));
    } finally {
      await program.stop();
      await dropDatabase(database);
    }
  });

  afterAll(() => {
    expect(diffs.size).toBe(ways.length);
    const [first = "", ...others] = diffs.values();
    for (const diff of others) expect(JSON.parse(diff)).toEqual(JSON.parse(first));
  });
});
