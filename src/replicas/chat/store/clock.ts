/** The time of the call in the formats of the tables. */
import type { Fragment } from "~/db/connect";
import type { ChatSession } from "~/replicas/chat/method";
import { millisOf, secondsOf } from "~/source";

type Handle = Pick<ChatSession, "sql" | "source">;

export const nowSeconds = ({ sql, source }: Handle): Fragment => sql`${secondsOf(source)}::int`;

export const nowMillis = ({ sql, source }: Handle): Fragment => sql`${millisOf(source)}::bigint`;

export const nowMicros = ({ sql, source }: Handle): Fragment => sql`${source.micros}::bigint`;

/** Microseconds as a message's timestamp: ten digits, a dot, six digits. */
export const asTs = ({ sql }: Pick<ChatSession, "sql">, micros: Fragment): Fragment =>
  sql`to_char((${micros}) / 1000000.0, 'FM0000000000.000000')`;
