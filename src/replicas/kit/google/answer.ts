/** Answers one call: JSON as Google's APIs write it, or a rejection. */
import { isObject } from "~/input/json";
import { type Person, readAccountPath } from "~/replicas/kit/google/accounts";
import { type GoogleError, rejectionOf, UnknownPath } from "~/replicas/kit/google/errors";
import { masked, readMask, unknownFieldIn } from "~/replicas/kit/google/fields";
import type { Operation, RestArguments, Router } from "~/replicas/kit/router";
import type { ReplicaCall } from "~/replicas/replica";
import { type HttpAnswer, httpAnswer, JSON_HEADERS, textOf } from "~/wire/message";

export type GoogleApi<Name extends string, Context> = {
  readonly router: Router<Context>;
  /** The path of a call as the templates of operations have it. */
  readonly pathOf: (path: string) => string;
  /** Throws for a caller who may not call at all. */
  readonly contextOf: (call: ReplicaCall<Name>) => Context | Promise<Context>;
  /** Of questions about the caller's own account, and the scopes of a token. */
  readonly account?: {
    readonly scopes: readonly string[];
    readonly personOf: (context: Context) => Promise<Person>;
  };
  /** Spaces of an answer that is indented. */
  readonly indent: number;
  readonly invalid: {
    /** The rejection of a value that the database cannot take. */
    readonly value: () => GoogleError;
    /** The rejection of a text that is no field mask, or of a name in one. */
    readonly mask: (text: string) => GoogleError;
  };
};

const MASK_SHOWN_MAX = 200;

export async function answerCall<Name extends string, Context>(
  api: GoogleApi<Name, Context>,
  call: ReplicaCall<Name>,
): Promise<HttpAnswer> {
  const { account } = call;
  try {
    const answer = await perform(api, call);
    account.answer = textOf(answer);
    return answer;
  } catch (error) {
    const rejection = rejectionOf(error, api.invalid.value);
    const { answer } = rejection;
    account.error = rejection.reason;
    account.answer = rejection instanceof UnknownPath ? undefined : textOf(answer);
    return answer;
  }
}

/** The mask of a call. Throws for one that fits no answer of its operation. */
function maskOf<Name extends string, Context>(
  { invalid }: GoogleApi<Name, Context>,
  { answers }: Operation<Context>,
  fields: string,
) {
  const wrong = (text: string) => invalid.mask(text.slice(0, MASK_SHOWN_MAX));
  const mask = readMask(fields, () => wrong(fields));
  const field = answers["200"] && unknownFieldIn(mask, answers["200"]);
  if (field !== undefined) throw wrong(field);
  return mask;
}

async function perform<Name extends string, Context>(
  api: GoogleApi<Name, Context>,
  call: ReplicaCall<Name>,
): Promise<HttpAnswer> {
  const { router, pathOf, contextOf, account: own, indent } = api;
  const context = await contextOf(call);
  const { request, body, account } = call;
  const path = pathOf(call.path);
  const question = own && readAccountPath(path);
  if (question) {
    account.name = question.name;
    const value = question.answer(await own.personOf(context), own.scopes);
    return httpAnswer(200, JSON_HEADERS, JSON.stringify(value, null, indent));
  }
  let mask: ReturnType<typeof readMask> | undefined;
  // A call with a wrong mask has no effect.
  const check = (operation: Operation<Context>, { query }: RestArguments) => {
    const { fields } = query as { readonly fields?: string };
    mask = fields === undefined ? undefined : maskOf(api, operation, fields);
  };
  const { args, result } = await router.run({ request, path, body, account, check }, context);
  if (result === undefined) return httpAnswer(204, {});
  const etag = isObject(result) && typeof result["etag"] === "string" ? result["etag"] : undefined;
  const headers = { ...JSON_HEADERS, ...(etag !== undefined && { etag }) };
  if (etag !== undefined && request.headers.get("if-none-match") === etag)
    return httpAnswer(304, { etag });
  const { prettyPrint = true } = args.query as { readonly prettyPrint?: boolean };
  const value = mask ? masked(result, mask) : result;
  const text = prettyPrint ? `${JSON.stringify(value, null, indent)}\n` : JSON.stringify(value);
  return httpAnswer(200, headers, text);
}
