/** A second implementation of filters: for one row, in memory. */

export type Thing = { readonly id: string; readonly [field: string]: any };
export type Graph = {
  readonly now: Date;
  readonly me: string;
  readonly issues: readonly Thing[];
  readonly users: readonly Thing[];
  readonly states: readonly Thing[];
  readonly teams: readonly Thing[];
  readonly labels: readonly Thing[];
  readonly labelled: readonly { issueId: string; labelId: string }[];
  readonly subscribed: readonly { issueId: string; userId: string }[];
};

type Filter = Readonly<Record<string, any>>;
type Relation = {
  readonly to: string;
  readonly rows: (graph: Graph, row: Thing) => readonly Thing[];
};

const byId =
  (list: keyof Graph, key: string): Relation["rows"] =>
  (graph, row) =>
    (graph[list] as readonly Thing[]).filter(({ id }) => id === row[key]);

const ONE: Record<string, Record<string, Relation>> = {
  Issue: {
    assignee: { to: "User", rows: byId("users", "assigneeId") },
    creator: { to: "User", rows: byId("users", "creatorId") },
    state: { to: "State", rows: byId("states", "stateId") },
    team: { to: "Team", rows: byId("teams", "teamId") },
    parent: { to: "Issue", rows: byId("issues", "parentId") },
  },
};

const MANY: Record<string, Record<string, Relation>> = {
  Issue: {
    labels: {
      to: "Label",
      rows: ({ labels, labelled }, { id }) =>
        labels.filter((label) =>
          labelled.some((pair) => pair.issueId === id && pair.labelId === label.id),
        ),
    },
    subscribers: {
      to: "User",
      rows: ({ users, subscribed }, { id }) =>
        users.filter((user) =>
          subscribed.some((pair) => pair.issueId === id && pair.userId === user.id),
        ),
    },
    children: {
      to: "Issue",
      rows: ({ issues }, { id }) => issues.filter((child) => child["parentId"] === id),
    },
  },
};

const DAYS = new Set(["dueDate"]);
const MOMENTS = new Set(["createdAt", "completedAt"]);

const accentless = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
const YEAR_MS = 365.25 * 24 * 3_600_000;

/** Converts values to one type for comparison. */
function comparable(field: string, value: unknown, now: Date): any {
  if (value === null || value === undefined) return null;
  if (!MOMENTS.has(field) && !DAYS.has(field)) return value;
  const duration = /^(-?)P(\d+)([YD])$/.exec(String(value));
  const moment = duration
    ? new Date(
        now.getTime() +
          (duration[1] ? -1 : 1) *
            Number(duration[2]) *
            (duration[3] === "Y" ? YEAR_MS : YEAR_MS / 365.25),
      )
    : new Date(value as string);
  return DAYS.has(field) ? moment.toISOString().slice(0, 10) : moment.getTime();
}

type Test = (value: any, given: any) => boolean;
const TESTS: Record<string, Test> = {
  eq: (value, given) => value === given,
  lt: (value, given) => value < given,
  lte: (value, given) => value <= given,
  gt: (value, given) => value > given,
  gte: (value, given) => value >= given,
  contains: (value, given) => value.includes(given),
  startsWith: (value, given) => value.startsWith(given),
  endsWith: (value, given) => value.endsWith(given),
  eqIgnoreCase: (value, given) => value.toLowerCase() === given.toLowerCase(),
  containsIgnoreCase: (value, given) => value.toLowerCase().includes(given.toLowerCase()),
  startsWithIgnoreCase: (value, given) => value.toLowerCase().startsWith(given.toLowerCase()),
  containsIgnoreCaseAndAccent: (value, given) => accentless(value).includes(accentless(given)),
};
/** The negation of each of these holds for null as well. */
const NEGATIVE: Record<string, string> = {
  neq: "eq",
  neqIgnoreCase: "eqIgnoreCase",
  notContains: "contains",
  notContainsIgnoreCase: "containsIgnoreCase",
  notStartsWith: "startsWith",
  notEndsWith: "endsWith",
};

function compare({ now }: Graph, field: string, raw: unknown, comparator: Filter): boolean {
  const value = comparable(field, raw, now);
  const read = (given: unknown) => comparable(field, given, now);
  return Object.entries(comparator).every(([key, given]) => {
    if (given === null || given === undefined) return true;
    const positive = (name: string) => value !== null && TESTS[name]!(value, read(given));
    if (key in TESTS) return positive(key);
    if (key in NEGATIVE) return !positive(NEGATIVE[key]!);
    switch (key) {
      case "null":
        return (value === null) === given;
      case "in":
        return value !== null && given.map(read).includes(value);
      case "nin":
        return value === null || !given.map(read).includes(value);
      default: {
        const fits = (one: Filter) => compare({ now } as Graph, field, raw, one);
        return key === "and" ? given.every(fits) : anyOf(given, fits);
      }
    }
  });
}

/** True if a filter has conditions: an alternative without conditions always holds. */
function says(filter: unknown): boolean {
  if (filter === null || filter === undefined) return false;
  if (typeof filter !== "object" || Array.isArray(filter)) return true;
  return Object.entries(filter).some(([key, value]) => {
    if (key === "and") return (value as Filter[]).some(says);
    if (key === "or") return (value as Filter[]).length > 0 && (value as Filter[]).every(says);
    return says(value);
  });
}

const anyOf = (list: readonly Filter[], fits: (filter: Filter) => boolean) =>
  list.length === 0 || !list.every(says) || list.some(fits);

/** `all`: archived rows count as well. */
export function evaluate(
  graph: Graph,
  type: string,
  filter: Filter,
  row: Thing,
  all: boolean,
): boolean {
  const fits = (one: Filter) => evaluate(graph, type, one, row, all);
  return Object.entries(filter).every(([key, given]) => {
    if (given === null || given === undefined) return true;
    if (key === "and") return given.every(fits);
    if (key === "or") return anyOf(given, fits);
    const one = ONE[type]?.[key];
    if (one) {
      const { and = [], or = [], null: none, ...inner } = given;
      const [related] = one.rows(graph, row);
      if (typeof none === "boolean" && (related === undefined) !== none) return false;
      const again = (wanted: Filter) => fits({ [key]: wanted });
      return (
        (!says(inner) || (related !== undefined && evaluate(graph, one.to, inner, related, all))) &&
        and.every(again) &&
        anyOf(or, again)
      );
    }
    const many = MANY[type]?.[key];
    if (many) return evaluateMany(graph, many, given, row, all);
    if (key === "isMe") return compare(graph, key, row.id === graph.me, given);
    return compare(graph, key, row[key], given);
  });
}

function evaluateMany(
  graph: Graph,
  relation: Relation,
  filter: Filter,
  row: Thing,
  all: boolean,
): boolean {
  const { and = [], or = [], every, some, length, null: none, ...direct } = filter;
  const elements = relation
    .rows(graph, row)
    .filter((one) => all || (one["archivedAt"] ?? null) === null);
  const holds = (inner: Filter) => (element: Thing) =>
    evaluate(graph, relation.to, inner, element, all);
  return (
    (Object.keys(direct).length === 0 || elements.some(holds(direct))) &&
    (!some || Object.keys(some).length === 0 || elements.some(holds(some))) &&
    (!every || elements.every(holds(every))) &&
    (!length || compare(graph, "length", elements.length, length)) &&
    (typeof none !== "boolean" || (elements.length === 0) === none) &&
    and.every((one: Filter) => evaluateMany(graph, relation, one, row, all)) &&
    anyOf(or, (one) => evaluateMany(graph, relation, one, row, all))
  );
}
