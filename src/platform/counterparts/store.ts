/**
 * The counterparts of environments, and what may set them off: changes, which triggers note, and calls (migrations 35 and
 * 46). These functions run on any of the pools.
 */
import type { Actor } from "~/capture/actor";
import { of } from "~/db/blueprint";
import { type Fragment, literal, type Sql } from "~/db/connect";
import { NOTING } from "~/db/recycling";
import { storableJson } from "~/db/storable";
import { unflushed } from "~/db/unflushed";
import type { EndedCall } from "~/evaluation/calls";
import type { Row } from "~/evaluation/predicate";
import type { Counterpart } from "~/platform/counterparts/model";
import type { StoredPending } from "~/platform/counterparts/pending-store";
import { randomId } from "~/source";

/** A rule with the id of its user, its service and the table of its trigger. */
export type StoredRule = Counterpart & {
  readonly service: string;
  /** Of `when`. */
  readonly table?: string | undefined;
  /** Of `unless`. */
  readonly unlessTable?: string | undefined;
};

/** A person, and what they do in a service. */
export type PersonAct = Pick<StoredRule, "name" | "as" | "service" | "say" | "call" | "act">;

/** The actions of the rules so far: by rule, how often each has acted, and why its last action was rejected. */
export type Progress = {
  readonly fired: readonly number[];
  readonly errors: readonly (string | null)[];
  /** How many of the actions of each rule are pending. Absent of rules from before there were any. */
  readonly waiting?: readonly number[];
  /** How often the actions of each rule were not done, because of its `unless`. */
  readonly dropped?: readonly number[];
  /** The values that actions have kept, by name. */
  readonly kept?: Row;
  /** Actions so far, also of rules that were replaced. */
  readonly actions: number;
  /** Another one each time that they begin anew. Absent of rules from before there was any. */
  readonly begun?: string;
};

export type CounterpartState = {
  readonly rules: readonly StoredRule[];
  readonly progress: Progress;
};

/** How often a rule has been set off: it has acted, or will. */
export const countOf = ({ fired, waiting }: Progress, rule: number): number =>
  (fired[rule] ?? 0) + (waiting?.[rule] ?? 0);

export const newState = (rules: readonly StoredRule[], actions = 0): CounterpartState => ({
  rules,
  progress: {
    fired: rules.map(() => 0),
    errors: rules.map(() => null),
    waiting: rules.map(({ at, quiet }) => (at === undefined && quiet === undefined ? 0 : 1)),
    dropped: rules.map(() => 0),
    actions,
    begun: randomId(),
  },
});

/** Gives environments these counterparts. */
export const insert = async (
  sql: Sql,
  environmentIds: readonly string[],
  { rules, progress }: CounterpartState,
) =>
  await sql`
    insert into diorama.counterparts (environment_id, rules, progress)
    select id, ${JSON.stringify(rules)}::text::json, ${JSON.stringify(progress)}::text::json
    from unnest(${[...environmentIds]}::text[]) as id
  `;

/** Replaces the counterparts of an environment whose calls wait. */
export async function replace(
  tx: Sql,
  environmentId: string,
  state: CounterpartState,
): Promise<void> {
  await tx`delete from diorama.counterparts where environment_id = ${environmentId}`;
  await deleteChanges(tx, environmentId);
  // The numbers of actions, from which ids derive, are not used twice.
  const { rules, progress } = state;
  if (rules.length > 0 || progress.actions > 0) await insert(tx, [environmentId], state);
}

/** An environment's counterparts as a JSON object, null without any: the pools name columns differently. */
const counterpartsOf = (sql: Sql, e: Fragment): Fragment => sql`(
  select json_build_object('rules', c.rules, 'progress', c.progress)
  from diorama.counterparts c where c.environment_id = ${e}.environment_id
)`;

export async function find(sql: Sql, environmentId: string): Promise<CounterpartState | null> {
  const [row] = await sql<{ state: CounterpartState | null }[]>`
    select ${counterpartsOf(sql, sql`e`)} as state
    from diorama.environments e where environment_id = ${environmentId}
  `;
  return row?.state ?? null;
}

/** The counterparts of an environment and the pending actions of some of the rules, as of one moment. */
export async function findWithPending(
  sql: Sql,
  environmentId: string,
  rules: readonly number[],
): Promise<(CounterpartState & { readonly pending: readonly StoredPending[] }) | undefined> {
  const [row] = await sql<(CounterpartState & { pending: StoredPending[] })[]>`
    select rules, progress, (
      select coalesce(
        json_agg(
          json_build_object('seq', seq::text, 'rule', rule, 'due', due, 'row', trigger_row, 'quietMs', quiet_ms)
          order by due, seq
        ), '[]'
      )
      from diorama.pending_actions p
      where p.environment_id = c.environment_id and rule = any(${[...rules]}::int4[])
    ) as pending
    from diorama.counterparts c where environment_id = ${environmentId}
  `;
  return row;
}

export const setProgress = async (tx: Sql, environmentId: string, progress: Progress) =>
  await tx`
    update diorama.counterparts set progress = ${JSON.stringify(progress)}::text::json
    where environment_id = ${environmentId}
  `;

/** Counts the actions of an environment, of which some are none of a rule's. */
export async function countAction(tx: Sql, environmentId: string, actions: number): Promise<void> {
  const state = await find(tx, environmentId);
  if (!state) return void (await insert(tx, [environmentId], newState([], actions)));
  await setProgress(tx, environmentId, { ...state.progress, actions });
}

/** How many actions an environment has had. */
export const countActions = (sql: Sql, environmentId: string): Fragment => sql`coalesce((
  select (progress ->> 'actions')::int8 from diorama.counterparts where environment_id = ${environmentId}
), 0)`;

/** Throws if the transaction is lost. */
export const requireOpen = async (tx: Sql) => await tx`select`;

/** A call of the agent, and the number of the newest action that was pending when it began, if that is known. */
type NotedCall = EndedCall & { readonly newest: string | null | undefined };

/** A row before and after a change, as Postgres prints it, or a call. */
export type NotedRow = {
  readonly number: string;
  readonly transaction: string;
  readonly call: NotedCall | null;
  readonly tableName: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** Null: the agent. */
  readonly actor: Actor | null;
  /** Of others: in milliseconds since 1970, by the clock of the environment. */
  readonly changedAt: number | null;
};

/**
 * The next changes that no rule has seen yet, in their order: whole transactions, as many as fit into `bytes`, with a
 * kilobyte for each row, and the first one in any case.
 */
export async function listChanges(
  sql: Sql,
  environmentId: string,
  bytes: number,
): Promise<{ readonly rows: readonly NotedRow[]; readonly hasMore: boolean }> {
  const rows = await sql<(NotedRow & { hasMore: boolean })[]>`
    with sizes as (
      select transaction, min(number) as first,
        sum(1000 + coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0)
          + coalesce(octet_length(call::text), 0)) as bytes
      from diorama.counterpart_changes where environment_id = ${environmentId} group by transaction
    ), next as (
      select transaction, sum(bytes) over (order by first) <= ${bytes} or first = min(first) over () as fits
      from sizes
    )
    select c.number::text as number, c.transaction::text as transaction, call, table_name as "tableName", before, after,
      actor, changed_at::float8 as "changedAt",
      exists (select from next where not fits) as "hasMore"
    from diorama.counterpart_changes c join next on next.transaction = c.transaction
    where environment_id = ${environmentId} and fits order by c.number
  `;
  return { rows, hasMore: rows[0]?.hasMore ?? false };
}

/**
 * Notes a call, unless its counterparts have begun anew since: the lock lets that delete all calls from before. The commit
 * does not wait for the disk: those of what follows from it do, and if Postgres crashes before, the call has no answer.
 */
export const insertCall = async (
  sql: Sql,
  environmentId: string,
  begun: string | null,
  call: NotedCall,
) =>
  await sql`
    with quick as materialized (select ${unflushed(sql)}), same as materialized (
      select from diorama.counterparts
      where environment_id = ${environmentId} and progress ->> 'begun' is not distinct from ${begun}::text
      for share
    )
    insert into diorama.counterpart_changes (environment_id, transaction, call)
    select ${environmentId}, pg_current_xact_id(), ${storableJson(call)}::text::json from quick, same
  `;

/** Deletes the changes that no rule can act on any more: up to this one. */
export const deleteUntil = async (sql: Sql, environmentId: string, last: string) =>
  await sql`
    delete from diorama.counterpart_changes where environment_id = ${environmentId} and number <= ${last}::int8
  `;

/** `numbers`: those that were looked at; all if omitted. */
export const deleteChanges = async (sql: Sql, environmentId: string, numbers?: readonly string[]) =>
  await sql`
    delete from diorama.counterpart_changes where environment_id = ${environmentId}
      ${numbers ? sql`and number = any(${[...numbers]}::int8[])` : sql``}
  `;

/** Deletes the changes of environments that have ended. */
export const deleteEnded = async (sql: Sql) =>
  await sql`
    delete from diorama.counterpart_changes c where (
      select e.deleted_at is not null or e.expires_at <= now() from diorama.environments e
      where e.environment_id = c.environment_id
    )
  `;

const TRIGGER = NOTING.counterparts;

export type Schema = { readonly environmentId: string; readonly schemaName: string };

/** The tables whose changes rules look at. `only`: of some of their conditions. */
export const tablesIn = (
  rules: readonly StoredRule[],
  only: (when: Counterpart["when"]) => boolean = () => true,
): string[] => {
  const names = rules.flatMap(({ when, table, unless, unlessTable }) => [
    ...(only(when) ? [table] : []),
    ...(only(unless) ? [unlessTable] : []),
  ]);
  return [...new Set(names.filter((name) => name !== undefined))];
};

/** Whether a condition is met by what others than the agent change, too. */
export const seesOthers = (when: Counterpart["when"]): boolean => when?.from === "any";

/** Whether what others than the agent change has to be looked at. */
export const areOthersSeen = (rules: readonly StoredRule[]): boolean =>
  rules.some(({ when, unless }) => seesOthers(when) || seesOthers(unless));

/** Begins to note the changes that may set off these rules. Recycling drops these triggers. */
export async function startNoting(
  tx: Sql,
  { environmentId, schemaName }: Schema,
  rules: readonly StoredRule[],
): Promise<void> {
  const ofOthers = tablesIn(rules, seesOthers);
  for (const table of tablesIn(rules)) {
    const given = [environmentId, ...(ofOthers.includes(table) ? ["any"] : [])].map(literal);
    await tx.unsafe(
      `create trigger ${TRIGGER} after insert or update or delete on ${of(schemaName, table)}
       for each row execute function diorama.note_for_counterparts(${given.join(", ")})`,
    );
  }
}

export async function stopNoting(
  tx: Sql,
  { schemaName }: Schema,
  rules: readonly StoredRule[],
): Promise<void> {
  for (const table of tablesIn(rules))
    await tx.unsafe(`drop trigger if exists ${TRIGGER} on ${of(schemaName, table)}`);
}
