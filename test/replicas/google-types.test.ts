/** The discovery documents have the names and types of Google's own client packages. */
import { describe, expect, test } from "bun:test";
import { documents as calendar } from "~/replicas/calendar/discovery";
import { documents as mail } from "~/replicas/mail/discovery";
import type { Documents } from "~/replicas/replica";
import { HeaderList, HttpRequest, textOf } from "~/wire/message";
import { type GoogleTypes, googleTypes } from "../support/google-types";

type Json = { [key: string]: any };

function read(documents: Documents): Json {
  const path = "$discovery/rest";
  const request = new HttpRequest("GET", `/${path}`, new HeaderList());
  const answer = documents({ request, path, rootUrl: "http://127.0.0.1/" });
  return JSON.parse(textOf(answer as NonNullable<typeof answer>));
}

const methodsOf = (resource: Json): Json[] => [
  ...Object.values((resource["methods"] ?? {}) as Json),
  ...Object.values((resource["resources"] ?? {}) as Json).flatMap(methodsOf),
];

/** Fields of the service that the package lacks. */
const NEWER = new Set(["labelProperties", "workingHours"]);

/** Fields of bodies that the service sets itself and ignores, in all resources and in some. */
const IGNORED = ["etag", "kind", "resourceId", "resourceUri", "conferenceProperties", "dataOwner"];
const IGNORED_IN: { readonly [resource: string]: string } = {
  acl: "id",
  channels: "expiration",
  calendarList:
    "accessRole autoAcceptInvitations deleted description location primary summary timeZone",
  events:
    "attendeesOmitted created creator endTimeUnspecified gadget hangoutLink htmlLink locked " +
    "originalStartTime privateCopy recurringEventId updated",
};

/** Differences of parameters: a part of a path has one name in an OpenAPI document, and two in Gmail's. */
const KNOWN = [
  "gmail.users.settings.cse.identities.patch cseEmailAddress: unknown",
  "gmail.users.settings.cse.identities.patch emailAddress: missing",
];

const isIgnored = (id: string, difference: string) =>
  [...IGNORED, ...(IGNORED_IN[id.split(".").at(-2) ?? ""] ?? "").split(" ")].some(
    (name) => difference === `${id}.${name}: missing`,
  );

/** Differences of a schema from one of Google's types. What accepts anything, or has any fields, is not compared. */
function differences(schemas: Json, types: GoogleTypes) {
  const seen = new Set<string>();
  return function compare(schema: Json, type: string, path: string): string[] {
    const { $ref: name, type: kind, items, properties } = schema;
    if (name) {
      if (seen.has(`${name} ${type}`)) return [];
      seen.add(`${name} ${type}`);
      return compare(schemas[name], type, path);
    }
    if (kind === "any" || /^\{\s*\[key: string\]: /.test(type)) return [];
    if (kind === "array" && type.endsWith("[]"))
      return compare(items, type.slice(0, -2), `${path}[]`);
    if (kind !== "object") {
      const own = kind === "integer" ? "number" : kind;
      return own === type ? [] : [`${path}: ${own}, not ${type}`];
    }
    if (!properties) return /^(\{|Schema)/.test(type) ? [] : [`${path}: object, not ${type}`];
    const fields = types.fieldsOf(type);
    if (!fields) return [`${path}: object, not ${type}`];
    const own = Object.entries(properties as Json).flatMap(([key, field]) => {
      const theirs = fields.get(key);
      if (!theirs && NEWER.has(key)) return [];
      return theirs ? compare(field, theirs, `${path}.${key}`) : [`${path}.${key}: unknown`];
    });
    const others = [...fields.keys()].filter((key) => !Object.hasOwn(properties, key));
    return [...own, ...others.map((key) => `${path}.${key}: missing`)];
  };
}

describe.each([
  ["gmail", "v1", mail, 60],
  ["calendar", "v3", calendar, 30],
] as const)("the methods of %s", (api, version, documents, least) => {
  const document = read(documents);
  const types = googleTypes(api, version);
  const compare = differences(document["schemas"], types);
  const methods = methodsOf(document);

  test("have their parameters", () => {
    const found = methods.flatMap(({ id, parameters }: Json) => {
      const theirs = new Map(types.parametersOf(id));
      theirs.delete("requestBody");
      theirs.delete("media");
      const own = Object.entries(parameters as Json).flatMap(([name, schema]) => {
        const type = theirs.get(name);
        if (!type) return [`${id} ${name}: unknown`];
        return compare(
          schema.repeated ? { type: "array", items: schema } : schema,
          type,
          `${id} ${name}`,
        );
      });
      const others = [...theirs.keys()].filter((name) => !Object.hasOwn(parameters, name));
      return [...own, ...others.map((name) => `${id} ${name}: missing`)];
    });

    expect(methods.length).toBeGreaterThan(least);
    expect(found.filter((each) => !KNOWN.includes(each))).toEqual([]);
  });

  test("take bodies of their fields", () => {
    const found = methods.flatMap(({ id, request }: Json) => {
      const type = types.parametersOf(id)?.get("requestBody");
      if (!type || !request) return type || request ? [`${id}: a body`] : [];
      return compare(request, type, id).filter((difference) => !isIgnored(id, difference));
    });

    expect(found).toEqual([]);
  });

  test("answer with their fields", () => {
    const found = methods.flatMap(({ id, response }: Json) => {
      const type = types.answerOf(id);
      if (type === "void") return response ? [`${id}: an answer`] : [];
      return response ? compare(response, type ?? "", id) : [`${id}: no answer`];
    });

    expect(found).toEqual([]);
  });
});
