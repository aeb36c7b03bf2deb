/** The schema has what the newest official client declares: its types, fields, inputs and enum values. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from "graphql";
import { trackerSchema } from "~/replicas/tracker/schema";

const FOLDER = join(import.meta.dir, "../../../node_modules/@linear/sdk/dist");
const [file = ""] = [...new Bun.Glob("index-*.d.mts").scanSync(FOLDER)];
const declarations = (await Bun.file(join(FOLDER, file)).text()).replace(/\/\*\*[\s\S]*?\*\//g, "");

/** Payloads of webhooks and of WebSockets, and the arguments of fields. */
const isLeftOut = (name: string, body: string) =>
  /WebhookPayload$|^Subscription|SubscriptionFilter$/.test(name) ||
  (name.endsWith("Args") && !body.includes("__typename"));
/** Operations and fragments of the client are declared in the same file. */
const isOfSchema = (name: string) => !/(?:Query|Mutation|Fragment|Variables)$/.test(name);

const typeMap = new Map(
  Object.values(trackerSchema().getTypeMap()).map((type) => [type.name.toLowerCase(), type]),
);
/** The client spells `ID…` as `Id…`. */
const findType = (name: string): GraphQLNamedType | undefined => typeMap.get(name.toLowerCase());

/** `Maybe<Array<Scalars["String"]>>` → `[String!]`. */
function sdlOf(type: string, isNullable = false): string {
  const [, outer, inner = ""] = /^(\w+)<(.*)>$/.exec(type) ?? [];
  if (outer === "Maybe" || outer === "InputMaybe") return sdlOf(inner, true);
  const name = outer === "Array" ? `[${sdlOf(inner)}]` : type.replace(/^Scalars\["(\w+)"\]$/, "$1");
  return isNullable ? name : `${name}!`;
}

type Field = { readonly type: unknown; readonly defaultValue?: unknown };

function differences(name: string, body: string): string[] {
  const type = findType(name);
  if (!type) return [`${name} is missing`];
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
  const fields = type.getFields() as Readonly<Record<string, Field>>;
  return [...body.matchAll(/^ {2}(\w+)(\??): (.*);$/gm)].flatMap(
    ([, field = "", optional, declared = ""]) => {
      if (field === "__typename") return [];
      const found = fields[field];
      if (!found) return [`${name}.${field} is missing`];
      const isDefaulted = optional === "?" && !declared.startsWith("InputMaybe");
      const wanted = sdlOf(declared);
      const isEqual = String(found.type).toLowerCase() === wanted.toLowerCase();
      const hasDefault = !isInputObjectType(type) || !isDefaulted || "defaultValue" in found;
      return isEqual && hasDefault ? [] : [`${name}.${field}: ${found.type}, not ${wanted}`];
    },
  );
}

const objects = [
  ...declarations.matchAll(/^type (\w+) = (?:\w+ & )*\{\n((?:[^}].*\n|\n)*?)\};/gm),
].filter(([, name = "", body = ""]) => isOfSchema(name) && /Scalars\[|__typename\?/.test(body));
const enums = [...declarations.matchAll(/^declare enum (\w+) \{\n([^}]*)\}/gm)];

test("every object and input, with the types of its fields", () => {
  const declared = objects.filter(([, name = "", body = ""]) => !isLeftOut(name, body));

  expect(declared.length).toBeGreaterThan(800);
  expect(declared.flatMap(([, name = "", body = ""]) => differences(name, body))).toEqual([]);
});

test("every value of the enums of these fields", () => {
  const missing = enums.flatMap(([, name = "", body = ""]) => {
    const type = findType(name);
    if (!isEnumType(type)) return [];
    const values = type.getValues().map((value) => value.name);
    return [...body.matchAll(/= "(\w+)"/g)]
      .map(([, value = ""]) => value)
      .filter((value) => !values.includes(value))
      .map((value) => `${name}.${value}`);
  });

  expect(enums.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});
