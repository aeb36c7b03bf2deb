/** Calls from the OpenAPI document: to the platform and to the services of an environment. */

import fc, { type Arbitrary } from "fast-check";
import { isObject } from "~/input/json";
import { graphqlBody } from "./graphql";
import type { GraphqlSchema } from "./schema";
import { anId, fitting, jsonOf, ODD_STRINGS, type Schema } from "./values";
import { HOLDERS, kindOf } from "./world";

/** The owner of a call's credential, and its header. */
export const CALLERS = ["own", "foreign", "token", "wrong", "none"] as const;

/** A stored call, with placeholders for ids that are filled when it is sent. */
export type Call = {
  /** "agent": an environment's token, in the headers, the URL or the body. "user": the same with an API key. */
  readonly caller: (typeof CALLERS)[number] | "agent" | "user";
  readonly method: string;
  /** Placeholders are encoded when they are filled; the rest is sent unchanged. */
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string | undefined;
  /** In addition to the content type and the credential; placeholders are filled. */
  readonly headers?: Headings;
};
export type Headings = readonly (readonly [name: string, value: string])[];

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
};

export type Document = {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[];
        requestBody?: { content?: Record<string, { schema?: Schema }> };
        responses?: Record<string, unknown>;
      }
    >
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export const operationsOf = ({ paths, components }: Document): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => !isStream(expanded(responses?.["200"], components)))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters: expanded(parameters, components) as Parameter[],
        body: brief(
          expanded(Object.values(requestBody?.content ?? {})[0]?.schema, components) as
            | Schema
            | undefined,
        ),
      })),
  );

/** The longest wait that is asked for, unless a body is made invalid. */
const WAIT_MS = 500;
/** A body that asks for a wait asks for a short one. */
function brief(body: Schema | undefined): Schema | undefined {
  const { timeoutMs, ...properties } = (body?.["properties"] ?? {}) as Record<string, Schema>;
  return timeoutMs
    ? {
        ...body,
        properties: { ...properties, timeoutMs: { ...timeoutMs, maximum: WAIT_MS } },
        required: ["timeoutMs"],
      }
    : body;
}

/** An answer that does not end. */
const isStream = (answer: unknown) =>
  "text/event-stream" in ((answer as { content?: object } | undefined)?.content ?? {});

/** Resolves references; a recursive one allows any value. */
function expanded(
  value: unknown,
  components: Document["components"],
  within: readonly string[] = [],
): unknown {
  if (Array.isArray(value)) return value.map((item) => expanded(item, components, within));
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref !== "string")
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expanded(item, components, within)]),
    );
  const [, , kind = "", name = ""] = $ref.split("/");
  return within.includes($ref)
    ? {}
    : expanded(components[kind]?.[name], components, [...within, $ref]);
}

/** Percent-encodes any text, including half a surrogate pair, as its bytes. Keeps placeholders. */
export function encodePart(text: string): string {
  if (text.startsWith("‹") && text.endsWith("›")) return text;
  return [...text]
    .map((letter) =>
      letter.isWellFormed()
        ? encodeURIComponent(letter)
        : [...Buffer.from([0xed, 0xa0, 0x80])].map((byte) => `%${byte.toString(16)}`).join(""),
    )
    .join("");
}

const oddPart = fc
  .constantFrom(...ODD_STRINGS.filter((text) => !text.includes("70000")))
  .map(encodePart);

/** A parameter of a path, by its name: `{runId}`. */
const pathPart = (name: string): Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: anId(kindOf(name, "")) }, { weight: 1, arbitrary: oddPart });

function pathOf({ path, parameters }: Operation): Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const query = parameters.filter((parameter) => parameter.in === "query");
  return fc
    .tuple(
      fc.tuple(...names.map(pathPart)),
      fc.tuple(...query.map((parameter) => fc.option(queryPart(parameter), { nil: undefined }))),
    )
    .map(([parts, given]) => {
      const filled = names.reduce(
        (text, name, index) => text.replace(`{${name}}`, () => parts[index] ?? ""),
        path,
      );
      const search = given.filter((part) => part !== undefined).join("&");
      return search ? `${filled}?${search}` : filled;
    });
}

const queryPart = ({ name, schema }: Parameter): Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fitting(schema, name).map((value) => partsOf(name, value)) },
    { weight: 1, arbitrary: oddPart.map((part) => `${name}=${part}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(`${name}=`, `${name}=1&${name}=2`, `${name}[]=1`, name),
    },
  );

const partOf = (name: string, value: string) => `${name}=${encodePart(value)}`;

/** An object is written as its members: `labels[model]=x`. */
const partsOf = (name: string, value: unknown): string =>
  isObject(value)
    ? Object.entries(value)
        .map(([key, member]) => partOf(`${name}[${encodePart(key)}]`, JSON.stringify(member) ?? ""))
        .join("&")
    : partOf(name, String(value));

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";
const typeOfBody: Arbitrary<string | undefined> = fc.oneof(
  { weight: 20, arbitrary: fc.constant(JSON_TYPE) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(undefined, "text/plain", "application/xml", "multipart/form-data"),
  },
);
const caller: Arbitrary<Call["caller"]> = fc.oneof(
  { weight: 12, arbitrary: fc.constant("own" as const) },
  { weight: 2, arbitrary: fc.constant("foreign" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...CALLERS) },
);

export function platformCall(operation: Operation): Arbitrary<Call> {
  const { body } = operation;
  return fc.record({
    caller,
    method: fc.oneof(
      { weight: 30, arbitrary: fc.constant(operation.method) },
      { weight: 1, arbitrary: fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD", "PATCH") },
    ),
    path: pathOf(operation),
    type: body ? typeOfBody : fc.constant(undefined),
    body: body ? jsonOf(fitting(body)) : fc.constant(undefined),
  });
}

/** An environment of that service: usually an own one, sometimes any other. */
export const base = (service: string): Arbitrary<string> =>
  fc
    .oneof(
      { weight: 12, arbitrary: fc.constant(`‹${service}Environment.own.0›`) },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom(...HOLDERS)
          .map((holder) => `‹${service}Environment.${holder}.0›`),
      },
      { weight: 1, arbitrary: oddPart },
    )
    .map((id) => `/api/env/${id}/services/${service}`);

export const ofService: Arbitrary<Call["caller"]> = fc.oneof(
  { weight: 10, arbitrary: fc.constant("token" as const) },
  { weight: 4, arbitrary: caller },
);

export function chatCall({ path, body = {} }: Operation): Arbitrary<Call> {
  const name = path.split("/").at(-1) ?? "";
  const json = jsonOf(fitting(body, "", name.split(".")[0]));
  const asJson = fc.record({ type: typeOfBody, body: json });
  const asForm = json.map((text) => ({
    type: FORM_TYPE,
    body: formOf(text),
  }));
  return fc
    .tuple(
      ofService,
      base("chat"),
      fc.oneof({ weight: 5, arbitrary: asJson }, { weight: 1, arbitrary: asForm }),
      fc.oneof({ weight: 40, arbitrary: fc.constant(name) }, { weight: 1, arbitrary: oddPart }),
    )
    .map(([by, prefix, sent, method]) => ({
      caller: by,
      method: "POST",
      path: `${prefix}/${method}`,
      ...sent,
    }));
}

/** The form encoding of a JSON object. */
function formOf(json: string): string {
  try {
    const fields = Object.entries(JSON.parse(json) as object).map(([key, value]) =>
      partOf(encodePart(key), typeof value === "string" ? value : JSON.stringify(value)),
    );
    return fields.join("&");
  } catch {
    return json.replaceAll(/[^a-z0-9=&%]/gi, "");
  }
}

export const trackerCall = (schema: GraphqlSchema): Arbitrary<Call> =>
  fc
    .tuple(ofService, base("tracker"), graphqlBody(schema), typeOfBody)
    .map(([by, prefix, body, type]) => ({
      caller: by,
      method: "POST",
      path: `${prefix}/graphql`,
      type,
      body,
    }));
