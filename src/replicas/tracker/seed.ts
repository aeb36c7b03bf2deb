/** Turns `seeds/tracker_*.yaml` into rows. */
import type { Tx } from "~/db/connect";
import type { Tables } from "~/db/session";
import { insertRows } from "~/replicas/kit/seed";
import { requireShape } from "~/replicas/kit/seed-mistakes";
import {
  DEFAULT_CUSTOMER_STATUSES,
  DEFAULT_PROJECT_STATUSES,
  DEFAULT_STATES,
  TRIAGE_STATE,
} from "~/replicas/tracker/defaults";
import { derivedId } from "~/replicas/tracker/ids";
import { computedOf, stored } from "~/replicas/tracker/seed-computed";
import { readDump } from "~/replicas/tracker/seed-dump";
import { historyOf } from "~/replicas/tracker/seed-history";
import { Names } from "~/replicas/tracker/seed-names";
import { columnsIn, modelOf, relationsOf, SECTIONS, TOP } from "~/replicas/tracker/seed-sections";
import { TrackerSeed } from "~/replicas/tracker/seed-shape";
import type { Entry, Item } from "~/replicas/tracker/seed-types";
import type { Values } from "~/replicas/tracker/store/entities";

type Rows = Map<string, Values[]>;
const text = (value: unknown) => String(value ?? "");

/** Returns notes on mapped and ignored content of a dump. */
export async function seedTracker(tx: Tx, t: Tables, given: unknown): Promise<readonly string[]> {
  const { seed, notes } = readDump(given as Entry);
  requireShape(TrackerSeed, seed);
  for (const [table, rows] of rowsOf(seed)) await insertRows(tx, t, table, rows);
  return notes;
}

function rowsOf(seed: Entry): Rows {
  const organization = seed["organization"] as Entry & { id: string; createdAt: string };
  const names = new Names();
  const items = TOP.flatMap((name) =>
    collect(name, seed[name] ?? DEFAULTS[name] ?? [], name, organization.createdAt, names),
  );
  names.mistakes.end();
  const rows: Rows = new Map([
    ["organizations", [{ updatedAt: organization.createdAt, ...organization }]],
  ]);
  const add = (table: string, row: Values) => {
    const list = rows.get(table) ?? [];
    list.push(row);
    rows.set(table, list);
  };
  const made: { readonly item: Item; readonly row: Values }[] = [];
  names.mistakes.each(items, (item) => made.push({ item, row: rowOf(item, names) }));
  names.mistakes.end();
  for (const { item, row } of made)
    if (item.section.type !== "IssueHistory") add(modelOf(item.section).table, stored(item, row));
  for (const row of historyOf(made)) add("issue_history", row);
  const created = new Map(items.map(({ id, createdAt }) => [id, createdAt]));
  names.mistakes.each(made, ({ item, row }) => {
    for (const [field, { to, table, row: pair }] of Object.entries(item.section.pairs ?? {}))
      for (const [index, name] of listOf(item, field).entries()) {
        const path = `${item.path}.${field}[${index}]`;
        const target = names.require(to, text(name), [...scopesOf(row), item.id], path);
        const { entry } = item;
        // Nobody is a member before they have an account.
        const createdAt = latest(item.createdAt, created.get(target));
        add(table, pair(item.id, target, { index, createdAt, entry, name: text(name) }));
      }
  });
  names.mistakes.end();
  return rows;
}

const latest = (moment: string, other = "") => (other > moment ? other : moment);

/** Sections that every workspace has, unless its seed overrides them. */
const DEFAULTS: { readonly [section: string]: readonly object[] } = {
  customerStatuses: DEFAULT_CUSTOMER_STATUSES,
  projectStatuses: DEFAULT_PROJECT_STATUSES,
};

/** The entries of a list and all entries inside them; registers their names. */
function collect(
  name: string,
  list: unknown,
  path: string,
  createdAt: string,
  names: Names,
  above?: { readonly item: Item; readonly key: string; readonly keep: readonly string[] },
): Item[] {
  const section = SECTIONS[name];
  if (!section) throw new Error(`a seed has no ${name}`);
  const items: Item[] = [];
  names.mistakes.each(list as readonly Entry[], (entry, index) => {
    const place = `${path}[${index}]`;
    const kept = (above?.keep ?? []).flatMap((column) =>
      above?.item.given[column] === undefined ? [] : [[column, above.item.given[column]]],
    );
    const team = text(entry["team"] ?? /^(\w+)-\d+$/.exec(text(entry["identifier"]))?.[1]);
    const given: Values = {
      ...(above && { [above.key]: above.item.id, ...Object.fromEntries(kept) }),
      ...(team !== "" && { teamId: names.require("Team", team, [""], `${place}.team`) }),
    };
    const called = section.name && text(entry[section.name]);
    const [scope = ""] = section.scoped ? scopesOf(given) : [];
    const id =
      (entry["id"] as string | undefined) ??
      derivedId(
        section.type,
        scope,
        called ?? above?.item.id ?? "",
        String(called ?? `${path} ${index}`),
      );
    const item: Item = {
      section,
      entry,
      path: place,
      index,
      id,
      createdAt: (entry["createdAt"] as string | undefined) ?? later(createdAt, index),
      given,
    };
    if (called !== undefined) names.add(section.type, called, scope, id, place);
    else if (entry["id"] !== undefined) names.add(section.type, id, "", id, place);
    items.push(item, ...inner(item, names));
  });
  return items;
}

function inner(item: Item, names: Names): Item[] {
  const { section, entry, createdAt, path } = item;
  return Object.entries(section.nested ?? {}).flatMap(
    ([field, { section: name, key, keep = [] }]) => {
      const list = entry[field] ?? (field === "states" ? statesOf(entry) : []);
      return collect(name, list, `${path}.${field}`, createdAt, names, { item, key, keep });
    },
  );
}

const statesOf = ({ triageEnabled }: Entry) =>
  triageEnabled === true ? [TRIAGE_STATE, ...DEFAULT_STATES] : DEFAULT_STATES;

/** Entries of one list have increasing timestamps, in their order. */
const later = (moment: string, seconds: number) =>
  new Date(Date.parse(moment) + 1000 * seconds).toISOString();

/** Scopes in which the names of related entries are looked up: the same team, project or pipeline, then everywhere. */
const scopesOf = ({ teamId, projectId, pipelineId }: Values): string[] =>
  [teamId, projectId, pipelineId, ""].filter((scope) => scope !== undefined).map(text);

function rowOf(item: Item, names: Names): Values {
  const { section, entry, id, createdAt, given, path } = item;
  const model = modelOf(section);
  const columns = columnsIn(section);
  const relations = new Map(
    relationsOf(model).map(([relation, { to, key }]) => [relation, { to, key }]),
  );
  const row: Record<string, unknown> = { id, createdAt, ...given };
  // Scopes of other lookups come first.
  const fields = Object.entries(entry).toSorted(
    ([a], [b]) => Number(b === "project") - Number(a === "project"),
  );
  for (const [field, value] of fields) {
    const relation = relations.get(field);
    if (relation)
      row[relation.key] = names.require(
        relation.to,
        text(value),
        [...scopesOf(row), id],
        `${path}.${field}`,
      );
    else if (columns.has(field)) row[field] = value;
  }
  for (const [field, [to, column]] of Object.entries(section.ids ?? {}))
    row[column] = ((entry[field] ?? []) as readonly unknown[]).map((name, index) =>
      names.require(to, text(name), scopesOf(row), `${path}.${field}[${index}]`),
    );
  return computedOf(item, row, names);
}

/** The names of a list for a join table; everyone involved in an issue subscribes to it. */
function listOf({ section, entry }: Item, field: string): readonly unknown[] {
  const list = (entry[field] ?? []) as readonly unknown[];
  if (section.type !== "Issue" || field !== "subscribers") return list;
  const comments = (entry["comments"] ?? []) as readonly (Entry & { replies?: readonly Entry[] })[];
  const authors = comments.flatMap(({ user, replies = [] }) => [
    user,
    ...replies.map((reply) => reply["user"]),
  ]);
  const people = [entry["creator"], entry["assignee"], ...authors, ...list];
  return [...new Set(people.filter((name) => name !== undefined))];
}
