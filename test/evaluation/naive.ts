/**
 * A second implementation of the assertion language, only from its description: slow, simple, without shared code.
 * Rows are complete; `before` of unchanged rows is the environment's state at the run's start.
 */
type Row = Record<string, any>;
export type Case = {
  added: Row[];
  removed: Row[];
  changed: { before: Row; after: Row }[];
  /** Rows that existed at the start and were not written. */
  still: Row[];
};

const at = (row: Row, path: string): any => {
  let value: any = row;
  for (const part of path.split("."))
    value =
      value !== null && typeof value === "object" && Object.hasOwn(value, part)
        ? value[part]
        : undefined;
  return value;
};
const same = (a: any, b: any): boolean => {
  if (a === undefined) return false;
  if (typeof a === "string" && typeof b === "string" && isTime(a) && isTime(b))
    return Date.parse(a) === Date.parse(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((x, i) => same(x, b[i]));
  if (
    a &&
    b &&
    typeof a === "object" &&
    typeof b === "object" &&
    !Array.isArray(a) &&
    !Array.isArray(b)
  )
    return (
      Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((k) => k in b && same(a[k], b[k]))
    );
  return a === b;
};
const isTime = (s: string) => /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/.test(s);
const isNumeral = (s: any) => typeof s === "number" || /^-?\d+(\.\d+)?$/.test(s);
/** -1, 0, 1, or NaN for values without an order. */
const order = (a: any, b: any): number => {
  if (a === null || a === undefined || typeof a === "boolean" || typeof a === "object") return NaN;
  if (isNumeral(a) && isNumeral(b)) return Math.sign(Number(a) - Number(b));
  if (typeof a !== "string" || typeof b !== "string") return NaN;
  if (isTime(a) !== isTime(b)) return NaN;
  if (isTime(a)) return Math.sign(Date.parse(a) - Date.parse(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
const low = (s: string) => s.toLowerCase();
const str = (v: any) => typeof v === "string";

const holds = (v: any, op: string, x: any): boolean => {
  switch (op) {
    case "eq":
      return same(v, x);
    case "ne":
    case "neq":
      return !same(v, x);
    case "gt":
      return order(v, x) > 0;
    case "gte":
      return order(v, x) >= 0;
    case "lt":
      return order(v, x) < 0;
    case "lte":
      return order(v, x) <= 0;
    case "in":
      return x.some((y: any) => same(v, y));
    case "not_in":
      return !x.some((y: any) => same(v, y));
    case "contains":
      return Array.isArray(v) ? v.some((y) => same(y, x)) : str(v) && str(x) && v.includes(x);
    case "not_contains":
      return !holds(v, "contains", x);
    case "starts_with":
      return str(v) && v.startsWith(x);
    case "ends_with":
      return str(v) && v.endsWith(x);
    case "regex":
      return str(v) && new RegExp(x).test(v);
    case "exists":
      return (v !== undefined) === x;
    case "is_null":
      return (v === null || v === undefined) === x;
    case "not_null":
      return (v !== null && v !== undefined) === x;
    case "has_any":
      return Array.isArray(v) && x.some((y: any) => v.some((z) => same(z, y)));
    case "has_all":
      return Array.isArray(v) && x.every((y: any) => v.some((z) => same(z, y)));
    case "i_eq":
      return str(v) && low(v) === low(x);
    case "i_contains":
      return str(v) && low(v).includes(low(x));
    case "i_starts_with":
      return str(v) && low(v).startsWith(low(x));
    case "i_ends_with":
      return str(v) && low(v).endsWith(low(x));
    default:
      throw new Error(op);
  }
};
const condition = (v: any, c: any): boolean =>
  c === null || typeof c !== "object" || Array.isArray(c)
    ? same(v, c)
    : Object.entries(c).every(([op, x]) => holds(v, op, x));
const matches = (row: Row, where: Row = {}): boolean =>
  Object.entries(where).every(([k, c]) => {
    if (k === "and") return c.every((w: Row) => matches(row, w));
    if (k === "or") return c.some((w: Row) => matches(row, w));
    if (k === "not") return !matches(row, c);
    return condition(at(row, k), c);
  });

/** The number of rows that an assertion counts. */
export function count(
  a: Row,
  spec: Row,
  { added, removed, changed, still }: Case,
  derived: string[],
): number {
  const free = [
    ...derived,
    ...(a["ignore"] ?? []),
    ...(spec["ignore_fields"]?.global ?? []),
    ...(spec["ignore_fields"]?.[a["entity"]] ?? []),
  ];
  const differing = (u: { before: Row; after: Row }) =>
    Object.keys(u.after).filter((c) => JSON.stringify(u.after[c]) !== JSON.stringify(u.before[c]));
  const trivial = (u: { before: Row; after: Row }) => differing(u).every((c) => free.includes(c));
  if (a["diff_type"] === "added") return added.filter((r) => matches(r, a["where"])).length;
  if (a["diff_type"] === "removed") return removed.filter((r) => matches(r, a["where"])).length;
  if (a["diff_type"] === "unchanged")
    return [...still, ...changed.filter(trivial).map((u) => u.before)].filter((r) =>
      matches(r, a["where"]),
    ).length;
  return changed.filter((u) => {
    if (!matches(u.before, a["where"]) && !matches(u.after, a["where"])) return false;
    const wanted = a["expected_changes"];
    if (!wanted) return !trivial(u);
    for (const [path, change] of Object.entries<Row>(wanted)) {
      const [old, now] = [at(u.before, path), at(u.after, path)];
      if (JSON.stringify(old) === JSON.stringify(now)) return false;
      if ("from" in change && !condition(old, change["from"])) return false;
      if ("to" in change && !condition(now, change["to"])) return false;
    }
    const named = Object.keys(wanted).map((path) => path.split(".")[0]);
    return (
      (spec["strict"] ?? true) === false ||
      differing(u).every((c) => free.includes(c) || named.includes(c))
    );
  }).length;
}

/** The failures of a spec, as lines. */
export function failures(spec: Row, cases: Case, derived: string[]): string[] {
  return spec["assertions"].flatMap((a: Row, i: number) => {
    const n = count(a, spec, cases, derived);
    const e = a["expected_count"] ?? { min: 1 };
    const [min, max] = typeof e === "number" ? [e, e] : [e.min ?? 0, e.max ?? Infinity];
    if (n >= min && n <= max) return [];
    let counted = `between ${e.min} and ${e.max}`;
    if (typeof e === "number") counted = `${e}`;
    else if (e.max === undefined) counted = `at least ${e.min}`;
    else if (e.min === undefined) counted = `at most ${e.max}`;
    return [`assertion#${i + 1} ${a["entity"]} expected count ${counted} but got ${n}`];
  });
}
