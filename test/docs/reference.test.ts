/** The generated pages, compared with their sources. */
import { expect, test } from "bun:test";
import { SETTINGS } from "~/config";
import controlGuide from "~/docs/control.md" with { type: "text" };
import { REFERENCE } from "~/docs/reference/index";
import suitesGuide from "~/docs/suites.md" with { type: "text" };
import { STATUS } from "~/errors";
import { OPERATORS } from "~/evaluation/operators";
import { Assertion, DIFF_TYPES, Spec, WhereSchema } from "~/evaluation/spec";
import { ROUTER as CALENDAR } from "~/replicas/calendar/api/index";
import { METHODS } from "~/replicas/chat/api/index";
import { coverage } from "~/replicas/chat/coverage";
import { REFUSED } from "~/replicas/chat/unsupported-methods";
import { ROUTER as MAIL } from "~/replicas/mail/api/index";
import { trackerSchema } from "~/replicas/tracker/schema";
import { SEEDS, SUITES } from "../../seeds/index";

const pageOf = (name: string) => REFERENCE.get(name)!();

/** First cells of the rows of all tables of a page, without markup. */
const listed = (name: string) =>
  [...pageOf(name).matchAll(/^\| `([^`]+?)\??`/gm)].map(([, cell = ""]) => cell);

test("the language of assertions has every field, kind and operator, each with its meaning", () => {
  const names = listed("assertions");
  for (const name of [
    ...Object.keys(Spec.properties),
    ...Object.keys(Assertion.properties),
    ...Object.keys(WhereSchema.properties),
    ...Object.keys(DIFF_TYPES),
    ...Object.keys(OPERATORS),
  ])
    expect(names).toContain(name);
  expect(pageOf("assertions")).not.toMatch(/\|\s*\|$/m);
});

test("every method of chat is listed once, with its limits or its error", () => {
  expect(listed("chat").toSorted()).toEqual([...METHODS.keys(), ...REFUSED.keys()].toSorted());
  for (const { limits, error } of coverage()) {
    if (limits !== undefined) expect(pageOf("chat")).toContain(limits.replaceAll("|", "\\|"));
    if (error !== undefined) expect(pageOf("chat")).toContain(`\`${error}\``);
  }
});

test("every operation of tracker is listed once", () => {
  const operations = [trackerSchema().getQueryType(), trackerSchema().getMutationType()].flatMap(
    (type) => Object.keys(type!.getFields()),
  );
  const rows = [...pageOf("tracker").matchAll(/^\| [a-z ]+ \| .*$/gm)].join("\n");
  const names = [...rows.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(operations.toSorted());
});

test("every method of mail is listed once", () => {
  const names = listed("mail");
  expect(names.toSorted()).toEqual(MAIL.operations.map(({ name }) => name).toSorted());
  expect(names).toHaveLength(79);
});

test("every method of calendar is listed once", () => {
  const names = listed("calendar");
  expect(names.toSorted()).toEqual(CALENDAR.operations.map(({ name }) => name).toSorted());
  expect(names).toHaveLength(38);
});

test("every setting and error code is listed with its meaning", () => {
  expect(listed("settings")).toEqual(Object.keys(SETTINGS));
  expect(listed("errors")).toEqual(Object.keys(STATUS));
  expect(pageOf("settings") + pageOf("errors")).not.toMatch(/\|\s*\|$/m);
});

test("every template is listed with the ids in it", () => {
  const names = listed("templates");
  for (const { template, users = [], channels = [], teams = [] } of SEEDS as any[])
    for (const id of [
      template,
      ...[...users, ...channels, ...teams].map(({ id, email }) => id ?? email),
    ])
      expect(names).toContain(id);
});

test("every test of every suite is listed with its surfaces and its prompt", () => {
  const text = pageOf("suites");
  for (const { name, tests } of SUITES as any[]) {
    expect(text).toContain(`## ${name}\n`);
    for (const test of tests) {
      const prompt = test.prompt.replaceAll(/\s+/g, " ").trim();
      expect(text).toContain(`| ${test.name} | ${test.surfaces.join(", ")} | ${prompt} |`);
    }
  }
});

test("the guide counts the tests of the suites, and those that tools can solve", () => {
  for (const { name, tests, templateName } of SUITES as any[]) {
    const viaTools = tests.filter(({ surfaces }: any) => surfaces.includes("mcp"));
    const row = [name, tests.length, viaTools.length, `\`${templateName}\``].join(" | ");
    expect(suitesGuide.replaceAll(/ +/g, " ")).toContain(`| ${row} |`);
  }
});

test("the guide names the day of every template", () => {
  const [, table = ""] = /(\| Template .*?)\n\n/s.exec(controlGuide) ?? [];
  const rows = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
  for (const { template, now } of SEEDS as { template: string; now?: string | Date }[]) {
    // One that is not named shows real time, as your own do.
    const [, , shown = "Real time"] =
      rows.find(([, names]) => names?.includes(`\`${template}\``)) ?? [];
    const told = now === undefined ? "Real time" : format.format(new Date(now));
    expect([template, shown]).toEqual([template, expect.stringContaining(told)]);
  }
});
