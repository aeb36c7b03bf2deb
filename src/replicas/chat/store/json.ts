import type { ChatSession } from "~/replicas/chat/method";

export type Json = { readonly [field: string]: unknown };

/** A value for a jsonb column; SQL's null for none. */
export const json = ({ sql }: Pick<ChatSession, "sql">, value: unknown) =>
  value === null || value === undefined ? null : sql.json(value as never);
