import { expect, test } from "bun:test";
import { zodWords } from "~/replicas/kit/tool-arguments";
import { createToolCall, failedTool, isReadOnly } from "~/replicas/kit/tool-calls";
import type { ToolCall } from "~/replicas/tools";

const LISTING = [
  {
    name: "greet",
    description: "Greets",
    inputSchema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    annotations: { readOnlyHint: true },
  },
  { name: "listed", description: "Has no code", inputSchema: { type: "object" } },
];
const call = createToolCall<string, (name: string) => string>({
  listing: LISTING,
  tools: { greet: (name) => `Hello ${name}`, unlisted: () => "" },
  rules: { words: zodWords, lengthOf: () => 10 },
  refusal: (name, problems) => `${name}: ${problems.join()}`,
  run: async (tool, args, { actor }, { description }) => ({
    text: `${tool(`${args["name"]}`)} ${actor} ${description}`,
  }),
});
const perform = (name: string, args?: object) =>
  call({ name, arguments: args, actor: "ann" } as ToolCall);

test("a tool runs with its checked arguments, its caller and its listing", async () => {
  expect(await perform("greet", { name: "Bo", more: 1 })).toEqual({ text: "Hello Bo ann Greets" });
});

test("wrong arguments are a result that is an error", async () => {
  const text = "greet: name: Invalid input: expected string, received undefined";

  expect(await perform("greet")).toEqual(failedTool(text));
});

test.each(["listed", "unlisted", "toString", "missing"])("there is no tool %s", async (name) => {
  expect(await perform(name, {})).toBeUndefined();
});

test("a tool is for reading if its listing says so", () => {
  expect(LISTING.map(isReadOnly)).toEqual([true, false]);
});
