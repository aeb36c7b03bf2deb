/** The rows that a batch of changes refers to: read together, and shown as they were when each change was made. */
import type { EventApp, EventRow } from "~/replicas/events";
import { createTimeline } from "~/replicas/kit/timeline";
import { ACTIVITY, SESSION } from "~/replicas/tracker/events/agent-shapes";
import { type Change, entityOf, rowOf, shownRow } from "~/replicas/tracker/events/change";
import { CHILDREN } from "~/replicas/tracker/events/children";
import { DATA } from "~/replicas/tracker/events/data";
import { ID_LISTS } from "~/replicas/tracker/events/lists";
import { NOTIFICATION } from "~/replicas/tracker/events/notifications";
import { relationOf, type Shape, type View } from "~/replicas/tracker/events/view";
import { type Entity, TABLE_OF } from "~/replicas/tracker/store/entities";
import {
  type Found,
  findWorkspace,
  listRows,
  listValues,
  type Wanted,
  type Workspace,
} from "~/replicas/tracker/store/events";
import { TABLES, type TableName, type TrackerSession } from "~/replicas/tracker/store/tables";
import { MICROS } from "~/source";

export type Context = {
  readonly workspace: Workspace;
  readonly apps: readonly EventApp[];
  /** The workspace after the change with this number. */
  readonly viewAt: (number: number) => View;
};

/** Relations of an event to relations of relations: a reaction to a comment on an issue of a team. */
const DEPTH_MAX = 5;

/** Rows that connect entities, by table: the entities that their columns refer to. */
const LINKS: { readonly [table: string]: { readonly [column: string]: string } } = {
  issue_label_assignments: { labelId: "IssueLabel" },
  initiative_to_projects: { initiativeId: "Initiative", projectId: "Project" },
  initiative_relations: { initiativeId: "Initiative", relatedInitiativeId: "Initiative" },
  records: { issueId: "Issue", releaseId: "Release" },
};

const SHAPES: { readonly [entity: string]: Shape } = {
  ...DATA,
  AgentActivity: ACTIVITY,
  AgentSession: SESSION,
  Notification: NOTIFICATION,
};

/** Of a row that is read twice, the more complete one counts. */
const RANKS = { newest: 1, light: 2, whole: 3 } as const;

type Ref = { readonly entity: string; readonly id: string };
type Timeline = ReturnType<typeof createTimeline<EventRow>>;

const tableOf = (entity: string): TableName =>
  (TABLE_OF as { readonly [entity: string]: TableName })[entity] ?? "records";

/** Identifies a row of a table. */
const keyOf = (table: string, row: EventRow): string =>
  TABLES.get(table)?.has("id")
    ? String(row["id"])
    : JSON.stringify([...(TABLES.get(table)?.keys() ?? [])].map((name) => row[name]));

const refsOf = (entity: string, row: EventRow, { ones = [], reads = [] }: Shape): Ref[] =>
  [...ones, ...reads].flatMap((field) => {
    const { to, key } = relationOf(entity, field);
    const id = row[key];
    return typeof id === "string" ? [{ entity: to, id }] : [];
  });

const linksOf = (table: string, row: EventRow): Ref[] =>
  Object.entries(LINKS[table] ?? {}).flatMap(([column, entity]) => {
    const id = row[column];
    return typeof id === "string" ? [{ entity, id }] : [];
  });

/** The entities that have changed, or a list of theirs. */
const subjectsOf = (changes: readonly Change[]): Ref[] =>
  changes.flatMap((change) => {
    const { table } = change;
    const row = rowOf(change);
    const list = ID_LISTS[table];
    if (list) return [{ entity: list.entity, id: String(row[list.column]) }];
    const entity = entityOf(table, row);
    const own = { entity, id: String(row["id"]) };
    // An agent is shown the whole issue of its session.
    return entity === "AgentSession"
      ? [own, { entity: "Issue", id: String(row["issueId"]) }]
      : [own];
  });

/** The rows that are read with their long texts: the subjects, and the issues of which events show the description. */
function isReadWhole(changes: readonly Change[], subjects: readonly Ref[]) {
  const described = changes
    .filter(({ table }) => table === "notifications")
    .map((change) => ({ entity: "Issue", id: String(rowOf(change)["issueId"]) }));
  const keys = new Set(
    [...subjects, ...described].map((ref) => `${tableOf(ref.entity)} ${ref.id}`),
  );
  return ({ entity, id }: Ref): boolean => keys.has(`${tableOf(entity)} ${id}`);
}

/** The rows of some lists that this row has. */
const wantedBy = (row: EventRow, { lists = [] }: Shape): Wanted[] =>
  lists.flatMap(({ table, column, type, key = "id", part }): Wanted[] => {
    const id = row[key];
    return typeof id === "string"
      ? [{ table, column, type, part: part ?? "light", ids: [id] }]
      : [];
  });

/** One for all ids of a column. */
const merged = (wanted: readonly Wanted[]): Wanted[] =>
  Array.from(
    Map.groupBy(wanted, ({ table, column, type, part }) => `${table} ${column} ${type} ${part}`),
    ([, some]) => ({
      ...(some[0] as Wanted),
      ids: [...new Set(some.flatMap(({ ids }) => ids))],
    }),
  );

/** Everything that events of these changes show, as it is now. */
async function readRows(
  session: TrackerSession,
  changes: readonly Change[],
  users: readonly string[],
): Promise<ReadonlyMap<string, readonly EventRow[]>> {
  const subjects = subjectsOf(changes);
  const isSubject = new Set(subjects.map(({ entity, id }) => `${entity} ${id}`));
  const isWhole = isReadWhole(changes, subjects);
  const rows = new Map<string, Map<string, EventRow>>();
  const ranks = new Map<string, number>();
  const known = new Set<string>();

  async function read(refs: readonly Ref[], lists: readonly Wanted[]): Promise<Found[]> {
    const own = refs.map((ref): Wanted => {
      const part = isWhole(ref) ? "whole" : "light";
      return { table: tableOf(ref.entity), column: "id", part, ids: [ref.id] };
    });
    const wanted = merged([...own, ...lists]).map(({ ids, ...place }) => {
      const fresh = ids.filter((id) => !known.has(`${place.table} ${place.column} ${id}`));
      for (const id of fresh) known.add(`${place.table} ${place.column} ${id}`);
      return { ...place, ids: fresh };
    });
    const found = await listRows(session, wanted);
    return found.map(({ table, part, row }) => {
      const shown = shownRow(table, row);
      const ofTable = rows.get(table) ?? new Map<string, EventRow>();
      rows.set(table, ofTable);
      const key = keyOf(table, shown);
      const rank = RANKS[part];
      if (rank > (ranks.get(`${table} ${key}`) ?? 0)) {
        ofTable.set(key, shown);
        ranks.set(`${table} ${key}`, rank);
      }
      return { table, part, row: shown };
    });
  }

  const makers = changes.flatMap(({ user }) => (user ? [{ entity: "User", id: user }] : []));
  const memberships: Wanted = {
    table: "team_memberships",
    column: "userId",
    part: "light",
    ids: users,
  };
  const images = changes.flatMap(({ table, before, after }) =>
    [before, after].flatMap((row) => (row ? [{ table, part: "whole" as const, row }] : [])),
  );
  let found: Found[] = [...images, ...(await read([...subjects, ...makers], [memberships]))];
  for (let depth = 0; depth < DEPTH_MAX && found.length > 0; depth++) {
    const refs: Ref[] = [];
    const lists: Wanted[] = [];
    for (const { table, row } of found) {
      const entity = entityOf(table, row);
      const shape = isSubject.has(`${entity} ${row["id"]}`) ? SHAPES[entity] : CHILDREN[entity];
      refs.push(...linksOf(table, row), ...(shape ? refsOf(entity, row, shape) : []));
      if (shape) lists.push(...wantedBy(row, shape));
    }
    found = await read(refs, lists);
  }
  return new Map(Array.from(rows, ([table, some]) => [table, [...some.values()]]));
}

/** Values of the subjects that are not stored, by id. */
async function readValues(
  session: TrackerSession,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, EventRow>> {
  const now = new Date(Math.max(...changes.map(({ micros }) => micros)) / MICROS);
  const byEntity = Map.groupBy(subjectsOf(changes), ({ entity }) => entity);
  const found = await Promise.all(
    Array.from(byEntity, ([entity, refs]) => {
      const ids = [...new Set(refs.map(({ id }) => id))];
      const fields = SHAPES[entity]?.values ?? [];
      if (fields.length === 0) return new Map<string, EventRow>();
      return listValues(session, { entity: entity as Entity, ids, fields }, now);
    }),
  );
  return new Map(found.flatMap((values) => [...values]));
}

/** Tables that decide who receives an event. */
const DECISIVE = ["team_memberships", "issues", "project_teams"] as const;

/**
 * `changes`: of whole transactions, in their order, as the API shows them. `later`: those of a table after them, which the
 * rows that are read have by then.
 */
export async function readContext(
  session: TrackerSession,
  changes: readonly Change[],
  apps: readonly EventApp[],
  later: (table: TableName) => Promise<readonly Change[]>,
): Promise<Context> {
  const users = [...new Set(apps.map(({ user }) => user))];
  const [workspace, rows, values] = await Promise.all([
    findWorkspace(session),
    readRows(session, changes, users),
    readValues(session, changes),
  ]);
  const all = [...changes, ...(await Promise.all(DECISIVE.map(later))).flat()];
  const tables = new Set<string>([...rows.keys(), ...all.map(({ table }) => table)]);
  const byTable = Map.groupBy(all, ({ table }): string => table);
  const timelines = new Map(
    [...tables].map((table): [string, Timeline] => [
      table,
      createTimeline(byTable.get(table) ?? [], rows.get(table) ?? [], (row) => keyOf(table, row)),
    ]),
  );
  const indexes = new Map<string, Map<unknown, EventRow[]>>();

  /** The known rows of a table with a value in a column. */
  function having(table: string, column: string, id: unknown): readonly EventRow[] {
    const name = `${table} ${column}`;
    const index =
      indexes.get(name) ?? Map.groupBy(timelines.get(table)?.rows ?? [], (row) => row[column]);
    indexes.set(name, index);
    return id == null ? [] : (index.get(id) ?? []);
  }

  return {
    workspace,
    apps,
    viewAt: (number) => ({
      workspace,
      row: (entity, id) => timelines.get(tableOf(entity))?.at(String(id), number),
      list: (table, column, id) =>
        having(table, column, id).flatMap((row): EventRow[] => {
          const found = timelines.get(table)?.at(keyOf(table, row), number);
          return found ? [found] : [];
        }),
      values: (id) => values.get(String(id)) ?? {},
    }),
  };
}
