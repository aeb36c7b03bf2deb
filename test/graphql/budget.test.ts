/** The budget counts what is only known at run time, and aborts a request beyond it. */
import { expect, test } from "bun:test";
import { buildSchema } from "graphql";
import { createBudget } from "~/graphql/budget";
import { createExecutor } from "~/graphql/execute";
import { FIELDS_MAX, FIELDS_PER_TURN, READ_LENGTH_MAX, READ_ROWS_MAX } from "~/graphql/limits";
import type { ReadContext } from "~/graphql/resolvers";
import { addResolvers } from "~/graphql/schema";
import { formatError } from "~/replicas/tracker/errors";

const schema = buildSchema(`
  type Query { things: [Thing!]! }
  type Mutation { thing: Thing! }
  type Thing { id: ID things: [Thing!] text: String }
`);
let resolved = 0;
const text = "x".repeat(10_000);
const things = () => {
  resolved++;
  return Array.from({ length: 1_000 }, () => ({ id: "a", text }));
};
addResolvers<ReadContext>(schema, {
  models: new Map(),
  modelOf: {},
  conventions: {},
  resolvers: {
    Query: { things },
    Mutation: { thing: () => ({ id: "a" }) },
    Thing: { things },
  },
  scalars: {},
  typeNames: {},
});

/** The response, and how the transaction of a mutation ended. */
async function run(query: string, deadlineMs?: number) {
  let ended = "none";
  const executor = createExecutor(schema, deadlineMs);
  const { errors, body } = await executor<ReadContext>(
    { query, variables: {}, operationName: undefined },
    {
      format: formatError,
      within: async (running, work) => {
        try {
          const result = await work({ ...running, read: undefined as never });
          ended = "committed";
          return result;
        } catch (error) {
          ended = "rolled back";
          throw error;
        }
      },
    },
  );
  return { messages: errors.map(({ message }) => message), data: JSON.parse(body).data, ended };
}

test("nested lists with too many fields are aborted with one error", async () => {
  resolved = 0;
  const { messages, data } = await run("{ things { id things { id things { id } } } }");

  expect(messages).toEqual([
    `The query is too complex: it returns more than ${FIELDS_MAX} fields.`,
  ]);
  expect(data).toBeNull();
  expect(resolved).toBeLessThan(1_000);
});

test("a response that is too long is rejected", async () => {
  const { messages, data } = await run("{ things { id text } }");

  expect(messages).toEqual([expect.stringMatching(/^The response is longer than \d+ characters/)]);
  expect(data).toBeNull();
});

test("a request that takes too long is aborted", async () => {
  expect(await run("{ things { id } }", -1)).toEqual({
    messages: [expect.stringMatching(/^The request took longer than .* s: request less data\.$/)],
    data: null,
    ended: "rolled back",
  });
});

test("an aborted mutation is rolled back", async () => {
  expect(await run("mutation { thing { id } }")).toMatchObject({
    messages: [],
    ended: "committed",
  });
  expect(await run("mutation { thing { id } }", -1)).toMatchObject({
    data: null,
    ended: "rolled back",
  });
});

test("a large response yields to other requests", async () => {
  const budget = createBudget();
  const order: string[] = [];
  setImmediate(() => order.push("other"));

  expect(budget.spend(FIELDS_PER_TURN)).toBeUndefined();
  const later = budget.spend(1)?.then(() => order.push("later"));
  await later;

  expect(order).toEqual(["other", "later"]);
});

test.each([
  ["rows", Array.from({ length: READ_ROWS_MAX + 1 }, () => ({})), /reads more than \d+ objects/],
  [
    "characters",
    [{ a: { b: ["x".repeat(READ_LENGTH_MAX)] } }],
    /reads more than \d+ characters: request smaller pages/,
  ],
])("too many %s are not read", async (_what, rows, message) => {
  const budget = createBudget();

  budget.read(rows.slice(1));
  expect(budget.isOver()).toBe(false);
  budget.read(rows);

  expect(budget.isOver()).toBe(true);
  await expect(budget.givenUp).rejects.toThrow(message);
});
