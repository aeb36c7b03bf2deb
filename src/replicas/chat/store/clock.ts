/** The time in the formats of the tables. Statements read the clock of Postgres, so that several servers agree. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";

type Handle = Pick<ChatSession, "sql">;

// A cast rounds: without the floor, a time could be in the future.
export const nowSeconds = ({ sql }: Handle): Fragment =>
  sql`floor(extract(epoch from clock_timestamp()))::int`;

export const nowMillis = ({ sql }: Handle): Fragment =>
  sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export const nowMicros = ({ sql }: Handle): Fragment =>
  sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** Microseconds as a message's timestamp: ten digits, a dot, six digits. */
export const asTs = ({ sql }: Handle, micros: Fragment): Fragment =>
  sql`to_char((${micros}) / 1000000.0, 'FM0000000000.000000')`;
