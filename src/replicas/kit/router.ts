/**
 * The router of a REST service. An operation is a value; the router finds the one of a call, converts and checks its
 * arguments and runs its handler. Calls that fit none are rejected in the service's own words.
 */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { findUnstorable } from "~/db/storable";
import { isObject } from "~/input/json";
import { findMisfits, type Misfit } from "~/input/shape";
import { type PathNames, type PathTemplate, parseTemplate } from "~/replicas/kit/path-template";
import { BodyError, type Media, readBody } from "~/replicas/kit/rest-body";
import { readFields, valuesOf } from "~/replicas/kit/text-values";
import type { CallAccount } from "~/replicas/replica";
import type { HttpRequest } from "~/wire/message";

type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Shapes = Readonly<Record<string, TSchema>>;

/** The arguments of a call, of the declared shapes. */
export type RestArguments<Path = object, Query = object, Body = unknown> = {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly media: Media | undefined;
};

export type Operation<Context> = {
  /** The name of the call in faults and journals: `messages.list`. */
  readonly name: string;
  readonly verb: Verb;
  /** The path: `messages/{id}`, see `path-template.ts`. */
  readonly template: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** It writes nothing. */
  readonly isReading: boolean;
  readonly path: TObject;
  readonly query: TObject;
  /** Of JSON and forms; undefined for an operation that takes none. */
  readonly body: TObject | undefined;
  /** Types of media that it takes, alone or after JSON. */
  readonly media: readonly string[];
  /** Shapes of answers by status. */
  readonly answers: Readonly<Record<string, TSchema>>;
  readonly handle: (args: RestArguments, context: Context) => Promise<unknown>;
};

/**
 * A function that declares operations whose handlers take `Context`. A query parameter that is an array takes every
 * value of its name. The result of a handler is for the service to put into an answer.
 */
export const operationsWith =
  <Context>() =>
  <
    Template extends string,
    Path extends Shapes = Record<never, never>,
    Query extends Shapes = Record<never, never>,
    Body extends TObject = TObject,
  >(
    name: string,
    verb: Verb,
    template: Template,
    definition: {
      readonly summary: string;
      readonly description?: string;
      readonly isReading?: boolean;
      /** A shape of each parameter of the template. */
      readonly path?: Path & Record<PathNames<Template>, TSchema>;
      readonly query?: Query;
      readonly body?: Body;
      readonly media?: readonly string[];
      readonly answers: Operation<Context>["answers"];
      readonly handle: (
        args: RestArguments<Static<TObject<Path>>, Static<TObject<Query>>, Static<Body>>,
        context: Context,
      ) => Promise<unknown>;
    },
  ): Operation<Context> => ({
    name,
    verb,
    template,
    summary: definition.summary,
    description: definition.description,
    isReading: definition.isReading ?? verb === "GET",
    path: Type.Object(definition.path ?? {}),
    query: Type.Object(definition.query ?? {}),
    body: definition.body,
    media: definition.media ?? [],
    answers: definition.answers,
    // The router has checked the arguments against these shapes.
    handle: definition.handle as Operation<Context>["handle"],
  });

/** The reason for which the router rejects a call. */
export type RouteProblem =
  | { readonly kind: "path" }
  | { readonly kind: "verb"; readonly allowed: readonly Verb[] }
  | { readonly kind: "type" | "body"; readonly reason: string }
  | {
      readonly kind: "arguments";
      readonly place: "path" | "query" | "body";
      readonly misfits: readonly [Misfit, ...Misfit[]];
      /** The arguments of that place. */
      readonly given: Readonly<Record<string, unknown>>;
    };

type RestCall = {
  readonly request: HttpRequest;
  /** Relative to the service, as in templates. */
  readonly path: string;
  readonly body: Uint8Array;
};

type Route<Context> = {
  readonly operation: Operation<Context>;
  /** Texts of the parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>;
};

export type Router<Context> = {
  readonly operations: readonly Operation<Context>[];
  /** Query parameters of every operation. */
  readonly common: TObject;
  /** The operation of a call, or the reason for which there is none. */
  readonly find: (call: RestCall) => Route<Context> | RouteProblem;
  /**
   * Runs the operation of a call, which the account then shows. Throws `refuse` for a call that fits none. `check` throws
   * for one that shall have no effect.
   */
  readonly run: (
    call: RestCall & {
      readonly account: CallAccount;
      readonly check?: (operation: Operation<Context>, args: RestArguments) => void;
    },
    context: Context,
  ) => Promise<Routed<Context>>;
};

type Routed<Context> = {
  readonly operation: Operation<Context>;
  readonly args: RestArguments;
  readonly result: unknown;
};

/**
 * `refuse`: the error with which the service rejects a call. `common`: query parameters of every operation. With
 * `ignoresUnknown`, other ones are ignored.
 */
export function createRouter<Context>(
  operations: readonly Operation<Context>[],
  refuse: (problem: RouteProblem) => Error,
  common: Shapes = {},
  { ignoresUnknown }: { readonly ignoresUnknown: boolean } = { ignoresUnknown: false },
): Router<Context> {
  const shared = Type.Object({ ...common }, { additionalProperties: ignoresUnknown });
  const entries = entriesOf(operations);
  const find: Router<Context>["find"] = ({ request, path }) => {
    const matches = entries.flatMap(({ operation, template }) => {
      const parameters = template.match(path);
      return parameters ? [{ operation, parameters, rank: template.rank }] : [];
    });
    const verb = verbOf(request);
    const route = matches.find(({ operation }) => operation.verb === verb);
    if (route) return route;
    if (matches.length === 0) return { kind: "path" };
    return { kind: "verb", allowed: [...new Set(matches.map(({ operation }) => operation.verb))] };
  };
  return {
    operations,
    common: shared,
    find,
    async run(call, context) {
      const { account } = call;
      const route = find(call);
      if ("kind" in route) throw refuse(route);
      const { operation } = route;
      account.name = operation.name;
      const read = readArguments(route, call, shared);
      if ("kind" in read) throw refuse(read);
      const { path, query, body } = read;
      account.arguments = { ...path, ...query, ...(body as object | undefined) };
      call.check?.(operation, read);
      const args = { ...read, body: declaredIn(operation.body, body) };
      return { operation, args, result: await operation.handle(args, context) };
    },
  };
}

type Entry<Context> = { readonly operation: Operation<Context>; readonly template: PathTemplate };

/** Operations and their templates, more specific ones first. Throws on a path that says two things. */
function entriesOf<Context>(operations: readonly Operation<Context>[]): Entry<Context>[] {
  const known = new Set<string>();
  const entries = operations.map((operation) => {
    const template = parseTemplate(operation.template);
    const declared = Object.keys(operation.path.properties);
    if (template.names.toSorted().join() !== declared.toSorted().join())
      throw new Error(`${operation.name} does not declare the parameters of its path`);
    for (const key of [operation.name, `${operation.verb} ${template.form}`])
      if (known.size === known.add(key).size) throw new Error(`there are two operations ${key}`);
    return { operation, template };
  });
  return entries.toSorted((a, b) => (a.template.rank < b.template.rank ? -1 : 1));
}

/** Clients send a GET with a long query as a POST, with the query as a form. */
const OVERRIDE = "x-http-method-override";

const verbOf = ({ method, headers }: HttpRequest): string =>
  method === "POST" ? (headers.get(OVERRIDE)?.toUpperCase() ?? method) : method;

function readArguments<Context>(
  { operation, parameters }: Route<Context>,
  { request, body }: RestCall,
  common: TObject,
): RestArguments | RouteProblem {
  const path = valuesOf(operation.path.properties, Object.entries(parameters));
  const isLongGet = request.method === "POST" && verbOf(request) === "GET";
  const fields = [
    readFields(request.hasQuery ? request.url.search.slice(1) : ""),
    readFields(isLongGet ? Buffer.from(body).toString() : ""),
  ];
  const queryShape = Type.Object(
    { ...common.properties, ...operation.query.properties },
    { additionalProperties: common.additionalProperties ?? false },
  );
  const query = valuesOf(
    queryShape.properties,
    fields.flatMap((list) => [...(list ?? [])]),
  );
  if (fields.includes(undefined)) {
    const misfits = [{ path: "", problem: "has too many parameters" }] as const;
    return { kind: "arguments", place: "query", misfits, given: query };
  }
  const form = { shape: operation.body, media: operation.media };
  const read = readBodyOf(form, request, body);
  if ("kind" in read) return read;
  return (
    check("path", operation.path, path) ??
    check("query", queryShape, query) ??
    (operation.body && check("body", operation.body, read.value)) ?? {
      path,
      query,
      body: read.value,
      media: read.media,
    }
  );
}

function readBodyOf(
  ...args: Parameters<typeof readBody>
): ReturnType<typeof readBody> | RouteProblem {
  try {
    return readBody(...args);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return { kind: error.isType ? "type" : "body", reason: error.message };
  }
}

/** A body without the fields that nobody has checked. */
function declaredIn(shape: TObject | undefined, body: unknown): unknown {
  if (!shape || !isObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => Object.hasOwn(shape.properties, name)),
  );
}

type Place = "path" | "query" | "body";

function check(place: Place, shape: TObject, value: unknown): RouteProblem | undefined {
  const [first, ...others] = findMisfits(shape, value);
  const given = isObject(value) ? value : {};
  if (first) return { kind: "arguments", place, misfits: [first, ...others], given };
  const unstorable = findUnstorable(value);
  if (unstorable === undefined) return undefined;
  const path = unstorable.slice(1).replaceAll("/", ".");
  return { kind: "arguments", place, misfits: [{ path, problem: "must be valid text" }], given };
}
