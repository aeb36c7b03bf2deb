/** Parses an HTTP request into one GraphQL request. */
import { findUnstorable, UNSTORABLE } from "~/db/storable";
import type { GraphQLRequest } from "~/graphql/execute";
import { isObject, parseBounded, TooLarge } from "~/input/json";
import type { ReplicaCall } from "~/replicas/replica";
import { utf8 } from "~/wire/message";

/** A request that is not a GraphQL request. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const PATHS = new Set(["", "graphql", "graphql/"]);
/** NUL, escaped as in a GraphQL string. */
const NUL = /\\u(?:0000|\{0+\})/;

type Incoming = Pick<ReplicaCall, "request" | "path" | "body" | "account">;

/** Of a request until its fields are known: the name of an operation, and a path, are the caller's own words. */
const UNNAMED = "graphql";

/** Reads a request, which the account then shows. Throws Unreadable. */
export function readAccounted(call: Incoming): GraphQLRequest {
  const { account } = call;
  account.name = UNNAMED;
  const request = readRequest(call);
  const { query, variables, operationName } = request;
  account.arguments = { ...(operationName && { operationName }), variables, query };
  return request;
}

function readRequest({ request, path, body }: Incoming): GraphQLRequest {
  if (!PATHS.has(path)) throw new Unreadable(404, "Not found: requests go to /graphql.");
  if (request.method !== "POST") throw new Unreadable(405, "Requests must use POST.");
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw new Unreadable(415, "The Content-Type must be application/json.");
  const given = parse(body);
  if (!isObject(given)) throw new Unreadable(400, "The body must be one object with a query.");
  const { query, variables, operationName } = given as Record<string, unknown>;
  if (typeof query !== "string" || query.trim() === "")
    throw new Unreadable(400, "Must provide query string.");
  if (NUL.test(query)) throw new Unreadable(400, "A string of the query contains NUL.");
  if (variables !== undefined && variables !== null && !isObject(variables))
    throw new Unreadable(400, "Variables must be an object.");
  if (operationName !== undefined && operationName !== null && typeof operationName !== "string")
    throw new Unreadable(400, "The operation's name must be a string.");
  return {
    query,
    variables: isObject(variables) ? variables : {},
    operationName: operationName || undefined,
  };
}

function parse(body: Uint8Array): unknown {
  let value: unknown;
  try {
    value = parseBounded(utf8(body));
  } catch (error) {
    throw new Unreadable(
      400,
      error instanceof TooLarge
        ? `The body is JSON ${error.message}.`
        : "The body is not valid JSON in UTF-8.",
    );
  }
  const unstorable = findUnstorable(value);
  if (unstorable !== undefined) throw new Unreadable(400, `${unstorable}: ${UNSTORABLE}.`);
  return value;
}
