/** A method: its name on the wire, summary, arguments and handler. */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Session } from "~/db/session";
import type { Aliases } from "~/input/aliases";
import { presentIds } from "~/replicas/chat/aliases";
import { convert, type RawArguments } from "~/replicas/chat/arguments";
import type { Rows } from "~/replicas/chat/store/rows";

export type TableName = keyof Rows;
export type ChatSession = Session<TableName>;

export type ChatCall = {
  readonly session: ChatSession;
  /** The id of the user who calls. */
  readonly actor: string;
  /** The app that calls, if it does so with its own token. */
  readonly app: string | undefined;
  /** Every argument as received, for methods that echo them. */
  readonly raw: RawArguments;
  /** The address at which the caller reached this service, without a trailing slash. */
  readonly baseUrl: string;
  /** Signs triggers and tickets. */
  readonly secret: Uint8Array;
  readonly aliases: Aliases;
  /** Adds a warning to the answer: the client logs it. */
  readonly warn: (warning: string) => void;
};

export type Answer = { readonly [field: string]: unknown };

/** 1: used by every agent; 2: the rest of a workspace; 3: values that are only stored and read back. */
export type Tier = 1 | 2 | 3;

export type Method = {
  readonly name: string;
  readonly tier: Tier;
  readonly summary: string;
  readonly args: TObject;
  /** Takes the tokens of people only, not those of bots. */
  readonly userOnly: boolean;
  /** Takes the tokens of apps only, which every other method rejects. */
  readonly appOnly: boolean;
  /** How this differs from the service. */
  readonly limits: string | undefined;
  /** Throws ChatError to reject the call. Writes in one statement or one transaction. */
  readonly run: (raw: RawArguments, call: ChatCall) => Promise<Answer>;
};

export function method<P extends Record<string, TSchema>>(
  name: string,
  definition: {
    tier: Tier;
    summary: string;
    args: P;
    userOnly?: boolean;
    appOnly?: boolean;
    limits?: string;
    handle: (args: Static<TObject<P>>, call: ChatCall) => Promise<Answer>;
  },
): Method {
  const args = Type.Object(definition.args);
  return {
    name,
    tier: definition.tier,
    summary: definition.summary,
    args,
    userOnly: definition.userOnly ?? false,
    appOnly: definition.appOnly ?? false,
    limits: definition.limits,
    run: (raw, call) => definition.handle(presentIds(convert(args, raw), call.aliases), call),
  };
}
