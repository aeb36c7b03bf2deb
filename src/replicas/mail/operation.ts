/** The operations of the service, as its files declare them. */
import { type TObject, Type } from "@sinclair/typebox";
import type { Fragment } from "~/db/connect";
import type { Session } from "~/db/session";
import { operationsWith } from "~/replicas/kit/router";
import { Problem } from "~/replicas/mail/errors";
import type { Rows } from "~/replicas/mail/store/rows";

export type TableName = keyof Rows;
export type MailSession = Session<TableName>;

/** The means to change mailboxes. The session is a transaction. */
export type Posting = {
  readonly session: MailSession;
  /** Numbers for records of history, rising; messages and drafts are numbered by their record. */
  readonly next: (count: number) => Promise<readonly number[]>;
  /** The next number, inside a statement. */
  readonly nextInside: () => Fragment;
};

export type MailCall = {
  readonly session: MailSession;
  /** The address of the caller's own mailbox. */
  readonly mailbox: string;
};

export const operation = operationsWith<MailCall>();

/** The answers of an operation that returns this, by status. */
export const answersOf = (shape: TObject) => ({ 200: shape, 400: Problem, 404: Problem });

export const NO_CONTENT = {
  204: Type.Void({ description: "Done" }),
  400: Problem,
  404: Problem,
};

export const userId = Type.String({
  description: "`me`, or the address of the user who calls",
  examples: ["me"],
});
