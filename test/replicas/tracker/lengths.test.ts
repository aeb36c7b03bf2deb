/** Values longer than the service allows are neither stored by mutations nor accepted by queries. */
import { describe, expect, test } from "bun:test";
import {
  type GraphQLArgument,
  type GraphQLInputField,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from "graphql";
import { InvalidArgument } from "~/graphql/errors";
import { COLUMN_MAX } from "~/replicas/tracker/lengths";
import { trackerSchema } from "~/replicas/tracker/schema";
import { useSharedDatabase } from "../../support/database";
import { ENG, refusal, useTracker } from "../../support/tracker";

type Defined = GraphQLArgument | GraphQLInputField;
type Values = Record<string, unknown>;

const LONG = "x".repeat(2 * COLUMN_MAX);
/** Scalars with a specific length. */
const SHORT =
  /^(Boolean|Int|Float|DateTime|DateTimeOrDuration|TimelessDate|TimelessDateOrDuration|Duration|UUID)$/;

/** Field values with one long value at a time, each with its path. Stops at recursive inputs. */
function* longValues(
  fields: readonly Defined[],
  inside: readonly string[] = [],
): Generator<[path: string, values: Values]> {
  for (const { name, type } of fields) {
    const named = getNamedType(type);
    const isList = isListType(getNullableType(type));
    const wrap = (value: unknown): Values => ({ [name]: isList ? [value] : value });
    if (isList)
      yield [`${name}[]`, { [name]: Array(100_000).fill(isInputObjectType(named) ? {} : "x") }];
    if (isInputObjectType(named)) {
      if (named.name.endsWith("Filter")) yield [name, wrap({ and: [{ name: { eq: LONG } }] })];
      else if (!inside.includes(named.name))
        for (const [path, values] of longValues(Object.values(named.getFields()), [
          ...inside,
          named.name,
        ]))
          yield [`${name}.${path}`, wrap(values)];
    } else if (named.name.startsWith("JSON")) yield [name, wrap({ a: [LONG] })];
    else if (!isEnumType(named) && !SHORT.test(named.name)) yield [name, wrap(LONG)];
  }
}

describe.each(["Query", "Mutation"])("of every %s", (name) => {
  const type = trackerSchema().getType(name);
  const operations = "getFields" in (type ?? {}) ? Object.values((type as any).getFields()) : [];

  test("each argument, at any depth, is rejected when it is too long", () => {
    const taken: string[] = [];
    let count = 0;
    for (const { name: operation, args, resolve } of operations as any[])
      for (const [path, values] of longValues(args)) {
        count++;
        try {
          resolve({}, values, {}, {});
          taken.push(`${operation}(${path})`);
        } catch (error) {
          if (!(error instanceof InvalidArgument)) taken.push(`${operation}(${path}): ${error}`);
        }
      }

    expect(taken).toEqual([]);
    expect(count).toBeGreaterThan(200);
  });
});

describe("a change", () => {
  const tracker = useTracker(useSharedDatabase());
  const issue = () => tracker.data('{ issue(id: "ENG-1") { id description } }');
  const update = (input: object) =>
    tracker.ask(
      'mutation($input: IssueUpdateInput!) { issueUpdate(id: "ENG-1", input: $input) { success } }',
      { input },
    );

  test.each([
    ["description", "x".repeat(3_800_000), 250_000],
    ["title", "x".repeat(513), 512],
  ])(
    "with a %s that is too long is rejected in the service's wording",
    async (field, value, max) => {
      const before = await issue();

      const { errors, data } = await update({ [field]: value });

      expect(data).toBeNull();
      expect(errors[0]).toMatchObject({
        message: "Argument Validation Error",
        extensions: {
          type: "invalid input",
          userPresentableMessage: `${field} must be shorter than or equal to ${max} characters.`,
          validationErrors: [{ property: field, constraints: { maxLength: expect.any(String) } }],
        },
      });
      expect(JSON.stringify(errors).length).toBeLessThan(2_000);
      expect(await issue()).toEqual(before);
    },
  );

  test("with a description of 250,000 characters succeeds", async () => {
    const description = "Words. ".repeat(35_000);

    expect((await update({ description })).data).toEqual({ issueUpdate: { success: true } });
    expect((await issue()).issue.description).toBe(description);
  });

  test("of a project's description has the service's limit", async () => {
    const create = (length: number) =>
      tracker.linear.createProject({
        name: "Long",
        teamIds: [ENG],
        description: "x".repeat(length),
      });

    expect((await create(255)).success).toBe(true);
    expect((await refusal(create(256))).message).toMatch(
      /description must be shorter than or equal to 255/,
    );
  });

  test("with an address too long for an index is rejected", async () => {
    const create = (length: number) => {
      const path = Array.from({ length }, () => Math.random().toString(36).at(-1)).join("");
      return tracker.ask(
        'mutation($url: String!) { attachmentLinkURL(issueId: "ENG-1", url: $url) { success } }',
        { url: `https://x.test/${path}`.slice(0, length) },
      );
    };

    expect((await create(2_000)).errors).toBeUndefined();
    const { errors } = await create(3_800);
    expect(errors[0].extensions.userPresentableMessage).toBe(
      "url must be shorter than or equal to 2000 characters.",
    );
  });

  test("whose text has a tree too large for a column is rejected", async () => {
    const { errors } = await tracker.ask(
      'mutation($body: String!) { commentCreate(input: { issueId: "ENG-1", body: $body }) { success } }',
      { body: "a\n\n".repeat(80_000) },
    );

    expect(errors[0].extensions.userPresentableMessage).toBe("bodyData is too long to be stored.");
  });
});
