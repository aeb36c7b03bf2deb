/** The schema as clients see it, in a file that a reviewer can read beside a change of its parts. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { lexicographicSortSchema, printSchema } from "graphql";
import { trackerSchema } from "~/replicas/tracker/schema";

const FILE = join(import.meta.dir, "schema.graphql");
const RENEW = "RENEW_SDL=1 bun test test/replicas/tracker/schema.test.ts";

test("the printed schema is the one in schema.graphql", async () => {
  const sdl = printSchema(lexicographicSortSchema(trackerSchema()));
  const text = `# The tracker's schema. Renew it with: ${RENEW}\n\n${sdl}\n`;
  if (process.env["RENEW_SDL"]) await Bun.write(FILE, text);
  const known = (await Bun.file(FILE).text()).split("\n");
  const lines = text.split("\n");
  const changed = lines.findIndex((line, index) => line !== known[index]);

  // One line instead of a difference of 13,000 lines.
  if (text !== known.join("\n"))
    throw new Error(
      `schema.graphql differs from line ${changed + 1}: "${lines[changed]}". If the change is meant, run ${RENEW}`,
    );
  expect(lines.length).toBeGreaterThan(10_000);
});
