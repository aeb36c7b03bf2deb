/** A method: its name on the wire, what it is for, its arguments, and what it does. */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Session } from "~/db/session";
import { convert, type RawArguments } from "~/replicas/chat/arguments";

/** The tables of tables.sql. */
export type TableName =
  | "teams"
  | "users"
  | "channels"
  | "channel_members"
  | "messages"
  | "reactions";
export type ChatSession = Session<TableName>;

export type ChatCall = {
  readonly session: ChatSession;
  /** The id of the user who calls. */
  readonly actor: string;
  /** Every argument as it came, for methods that echo them. */
  readonly raw: RawArguments;
  /** Where the caller reached this service, without a slash at the end. */
  readonly baseUrl: string;
  /** Adds a warning to the answer: the client logs it. */
  readonly warn: (warning: string) => void;
};

export type Answer = { readonly [field: string]: unknown };

export type Method = {
  readonly name: string;
  readonly summary: string;
  readonly args: TObject;
  /** Throws ChatError to refuse. What it writes, it writes in one statement or one transaction. */
  readonly run: (raw: RawArguments, call: ChatCall) => Promise<Answer>;
};

export function method<P extends Record<string, TSchema>>(
  name: string,
  definition: {
    summary: string;
    args: P;
    handle: (args: Static<TObject<P>>, call: ChatCall) => Promise<Answer>;
  },
): Method {
  const args = Type.Object(definition.args);
  return {
    name,
    summary: definition.summary,
    args,
    run: (raw, call) => definition.handle(convert(args, raw), call),
  };
}
