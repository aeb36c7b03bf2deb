/** The people that a canvas mentions: found in time linear in its text, from any input of an agent. */
import { expect, test } from "bun:test";
import { peopleIn } from "~/replicas/chat/mcp/documents";
import { expectLinear } from "../../../support/growth";

test.each([
  ["For ![](@U02JOHNADOE) and ![a\nb](@U03ROBINRAY)", ["U02JOHNADOE", "U03ROBINRAY"]],
  ["![a ![b](@U1)![](@U2)", ["U1", "U2"]],
  ["[](@U1) !] ![] (@U2) ![](@u3) ![](@U4 ![](U5)", []],
  ["![]](@U1)", []],
])("the people in %j", (markdown, ids) => {
  expect(peopleIn(markdown)).toEqual(ids);
});

test.each(["![", "]", "![]", "![](@", "![](@U1", "![](@U1)"])(
  "a long text of %j takes time in proportion to its length",
  (part) => expectLinear(peopleIn, part, 250_000),
);
