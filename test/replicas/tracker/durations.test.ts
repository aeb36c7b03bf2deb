/** The times that issues took, as filters of lists, are compared with the dates of the issues. */
import { beforeAll, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase(), "tracker_expanded");

type Issue = Readonly<Record<string, string | null>>;
const DAY_MS = 86_400_000;
let all: Issue[];
beforeAll(async () => {
  const { issues } = await tracker.data(`{ issues(first: 250, includeArchived: true) {
    nodes { id createdAt startedAt completedAt canceledAt }
  } }`);
  all = issues.nodes;
});
const ended = ({ completedAt, canceledAt }: Issue) => completedAt ?? canceledAt;

test.each<[string, string, (issue: Issue) => string | null | undefined]>([
  ["cycleTime", "startedAt", ({ completedAt }) => completedAt],
  ["leadTime", "createdAt", ({ completedAt }) => completedAt],
  ["ageTime", "createdAt", (issue) => ended(issue) ?? new Date().toISOString()],
])("%s, from %s", async (filter, from, to) => {
  const took = all.map((issue) => {
    const [start, end] = [issue[from], to(issue)];
    return start && end ? Date.parse(end) - Date.parse(start) : undefined;
  });
  const known = took.filter((ms) => ms !== undefined).toSorted((a, b) => a - b);
  const days = Math.floor((known[known.length >> 1] ?? 0) / DAY_MS);
  const expected = all.filter((_, at) => (took[at] ?? 0) > days * DAY_MS).map(({ id }) => id);
  const { issues } = await tracker.data(
    `query($is: NullableDurationComparator) { issues(first: 250, includeArchived: true, filter: { ${filter}: $is }) {
      nodes { id }
    } }`,
    { is: { gt: `P${days}D` } },
  );

  expect(issues.nodes.map(({ id }: Issue) => id).toSorted()).toEqual(expected.toSorted());
  expect(expected.length).toBeGreaterThan(3);
  expect(expected.length).toBeLessThan(all.length);
});
