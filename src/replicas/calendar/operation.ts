/** The operations of the service, as its files declare them. */
import { type TObject, Type } from "@sinclair/typebox";
import type { Session } from "~/db/session";
import { Problem } from "~/replicas/calendar/errors";
import type { Rows } from "~/replicas/calendar/store/rows";
import { operationsWith } from "~/replicas/kit/router";

export type TableName = keyof Rows;
export type CalendarSession = Session<TableName>;

export type CalendarCall = {
  readonly session: CalendarSession;
  /** The id of the user who calls. */
  readonly userId: string;
  /** The header `If-Match`. */
  readonly ifMatch: string | null;
  /** Of the service, for addresses in answers. */
  readonly baseUrl: string;
};

/** A call that writes. The session is a transaction, and no other one of the environment writes meanwhile. */
export type WritingCall = CalendarCall & {
  /** Of every row that the call writes. */
  readonly version: number;
};

export const operation = operationsWith<CalendarCall>();

const REJECTIONS = { 400: Problem, 403: Problem, 404: Problem };

/** The answers of an operation that returns this, by status. */
export const answersOf = (shape: TObject) => ({ 200: shape, ...REJECTIONS });

export const NO_CONTENT = { 204: Type.Void({ description: "Done" }), ...REJECTIONS };

export const calendarId = Type.String({
  description: "`primary`, or the id of a calendar",
  examples: ["primary"],
});

export const optional = Type.Optional;
export const flag = (description: string) => optional(Type.Boolean({ description }));
export const text = (description: string, example: string) =>
  optional(Type.String({ description, examples: [example] }));

/** One of several words, as a parameter of a query. */
export const choice = (words: readonly string[], description: string) => {
  const pattern = `(${words.join("|")})`;
  return Type.String({ pattern: `^${pattern}$`, description });
};
