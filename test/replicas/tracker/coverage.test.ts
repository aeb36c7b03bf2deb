import { expect, test } from "bun:test";
import { coverage } from "~/replicas/tracker/coverage";
import { trackerSchema } from "~/replicas/tracker/schema";

const fieldsOf = (kind: "query" | "mutation") => {
  const type =
    kind === "query" ? trackerSchema().getQueryType() : trackerSchema().getMutationType();
  return Object.values(type?.getFields() ?? {});
};

test.each(["query", "mutation"] as const)("every %s is listed once, and answered", (kind) => {
  const listed = coverage()
    .filter((one) => one.kind === kind)
    .map(({ operation }) => operation);
  const fields = fieldsOf(kind);

  expect(listed.toSorted()).toEqual(fields.map(({ name }) => name).toSorted());
  expect(fields.filter(({ resolve }) => !resolve).map(({ name }) => name)).toEqual([]);
});
