/** A query shows what its user may see now, whatever an earlier query of the same user has shown. */
import { expect, test } from "bun:test";
import { READ_LENGTH_MAX } from "~/graphql/limits";
import { useSharedDatabase } from "../../support/database";
import { ENG, JOHN, ROBIN, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);

const SHOWN = `{
  viewer { displayName active }
  teams { nodes { id } }
  issues(first: 250) { nodes { team { id } url } }
}`;

/** Everything that Robin sees. Asked for twice: the second time it is known who asked before. */
async function shown() {
  const [first, second] = [
    await tracker.data(SHOWN, {}, ROBIN),
    await tracker.data(SHOWN, {}, ROBIN),
  ];
  expect(second).toEqual(first);
  const { viewer, teams, issues } = second;
  return {
    viewer,
    teams: new Set(teams.nodes.map((team: any) => team.id)),
    issuesOf: new Set(issues.nodes.map((issue: any) => issue.team.id)),
    workspaces: new Set(
      issues.nodes.map((issue: any) => new URL(issue.url).pathname.split("/")[1]),
    ),
  };
}

test("a team that became private is gone, with its issues", async () => {
  const { nodes } = await (await tracker.linear.team(ENG)).memberships();
  for (const one of nodes)
    if ((await one.user)?.id === ROBIN) await tracker.linear.deleteTeamMembership(one.id);
  const before = await shown();

  await tracker.linear.updateTeam(ENG, { private: true });
  const hidden = await shown();
  await tracker.linear.updateTeam(ENG, { private: false });

  expect(before.teams.has(ENG) && before.issuesOf.has(ENG)).toBe(true);
  expect(hidden.teams.has(ENG) || hidden.issuesOf.has(ENG)).toBe(false);
  expect(await shown()).toEqual(before);
});

test("a new name of the user or the workspace appears", async () => {
  const before = await shown();

  await tracker.linear.updateUser(ROBIN, { displayName: "robin2" });
  await tracker.linear.updateOrganization({ urlKey: "elsewhere" });

  const after = await shown();
  expect([before.viewer.displayName, after.viewer.displayName]).toEqual(["robin", "robin2"]);
  expect(before.workspaces).not.toContain("elsewhere");
  expect(after.workspaces).toEqual(new Set(["elsewhere"]));
});

test("a query that runs again for a changed user has its whole budget", async () => {
  const { schema } = tracker;
  await database.sql.unsafe(`
    update "${schema}".issues
    set description = repeat('x', (${0.6 * READ_LENGTH_MAX} / (select count(*)::int from "${schema}".issues))::int)
  `);
  const ask = async () =>
    (await tracker.ask("{ issues(first: 250) { nodes { sharedAccess { isShared } } } }", {}, ROBIN))
      .errors;
  expect([await ask(), await ask()]).toEqual([undefined, undefined]);

  await tracker.linear.updateUser(ROBIN, { displayName: "robin3" });

  expect(await ask()).toBeUndefined();
});

test("a suspended user is rejected", async () => {
  await shown();

  await tracker.linear.suspendUser(ROBIN);

  for (let attempt = 0; attempt < 2; attempt++)
    expect((await tracker.ask(SHOWN, {}, ROBIN)).errors[0].extensions.type).toBe(
      "authentication error",
    );
  expect((await tracker.data(SHOWN, {}, JOHN)).viewer.active).toBe(true);
});
