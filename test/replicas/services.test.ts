import { expect, test } from "bun:test";
import { REPLICAS } from "~/replicas/index";
import { ABOUTS, SERVICES } from "~/replicas/services";

test("every replica has its facts in the list that the journal and the commands read", () => {
  expect([...REPLICAS].map(([service, { about }]) => [service, about])).toEqual([...SERVICES]);
});

test("the forms of secrets have no flags: they are joined to one expression", () => {
  expect(ABOUTS.flatMap(({ secrets }) => secrets).filter(({ form }) => form.flags)).toEqual([]);
});
