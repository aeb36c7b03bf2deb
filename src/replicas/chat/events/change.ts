/** Changes of rows, and what follows from them. */
import type { EventType } from "~/replicas/chat/events/types";
import type { TableName } from "~/replicas/chat/method";
import type { Rows } from "~/replicas/chat/store/rows";
import type { Wire } from "~/replicas/chat/views/wire";
import type { EventApp, RowChange } from "~/replicas/events";

/** A change of a row of one table. Columns of type bigint are numbers here. */
export type Change<N extends TableName> = Omit<RowChange<N>, "before" | "after"> & {
  readonly before: Rows[N] | null;
  readonly after: Rows[N] | null;
};

/** Why an app does not receive an event. Undefined: it does. */
export type Audience = (app: EventApp) => string | undefined;

export type Derived = {
  /** As apps subscribe to it. */
  readonly type: EventType;
  readonly event: Wire;
  readonly audience: Audience;
};

export const changesOf = <N extends TableName>(
  changes: readonly RowChange<TableName>[],
  table: N,
): Change<N>[] => changes.filter((change) => change.table === table) as unknown as Change<N>[];

/** The row after a change, or the one that is gone. */
export const rowOf = <N extends TableName>({ before, after }: Change<N>): Rows[N] =>
  (after ?? before) as Rows[N];

export const secondsOf = (micros: number) => Math.floor(micros / 1_000_000);

/** A time as a timestamp: ten digits, a dot, six digits. */
export const stampOf = (micros: number) =>
  `${String(secondsOf(micros)).padStart(10, "0")}.${String(micros % 1_000_000).padStart(6, "0")}`;

/** An event of a type that is named as apps subscribe to it. */
export const derived = (
  type: EventType,
  { micros }: Pick<RowChange, "micros">,
  fields: Wire,
  audience: Audience,
): Derived => ({
  type,
  event: { type, ...fields, event_ts: stampOf(micros) },
  audience,
});

export const EVERYONE: Audience = () => undefined;

/** Of events that follow what one person sees. */
export const PEOPLE_ONLY: Audience = () => "only apps with a user's token receive it";
