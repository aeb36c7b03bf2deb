/** Bun takes one patch for each package. */
import { expect, test } from "bun:test";

const patch = (name: string) => Bun.file(`scripts/patches/${name}.patch`).text();

test("the patch of the driver is its two parts, one after the other", async () => {
  const parts = [await patch("postgres-upstream"), await patch("postgres-own")];

  expect(await patch("postgres@3.4.9")).toBe(parts.join(""));
});
