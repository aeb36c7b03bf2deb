import { beforeAll, describe, expect, test } from "bun:test";
import { connect, inTransaction, type Pool, quote } from "~/db/connect";
import { type Tables, tablesOf } from "~/db/session";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { seedTracker } from "~/replicas/tracker/seed";
import { readDump } from "~/replicas/tracker/seed-dump";
import { TABLES } from "~/replicas/tracker/store/tables";
import ddl from "~/replicas/tracker/tables.sql" with { type: "text" };
import { SEEDS } from "../../../seeds/index";
import { useDatabase } from "../../support/database";

const database = useDatabase({ empty: true });
const TRACKER = (SEEDS as Seed[]).filter(({ service }) => service === "tracker");
const seedOf = (name: string) =>
  resolveSeed(TRACKER.find(({ template }) => template === name)!, TRACKER);

let pool: Pool;
beforeAll(() => {
  pool = connect(database.url, { max: 1, name: "test" });
  return () => pool.end();
});

/** Creates the tables of a seed in a new schema. */
async function createTables(seed: unknown): Promise<{ sql: Pool; t: Tables; schema: string }> {
  const schema = `seed_${crypto.randomUUID().slice(0, 8)}`;
  const t = tablesOf(
    pool,
    schema,
    [...TABLES.keys()].map((name) => ({ name })),
  );
  await inTransaction(pool, async (tx) => {
    await tx.unsafe(
      `create schema ${quote(schema)}; set local search_path to ${quote(schema)}; ${ddl}; set local search_path to ''`,
    );
    await seedTracker(tx, t, seed);
  });
  return { sql: pool, t, schema };
}

/** The tables of a built-in template, created once. */
const seeded = new Map<string, ReturnType<typeof createTables>>();
function plantedAs(template: string): ReturnType<typeof createTables> {
  const known = seeded.get(template) ?? createTables(seedOf(template));
  seeded.set(template, known);
  return known;
}

const SIZES = [
  ["tracker_base", 3, 2, 0],
  ["tracker_default", 3, 2, 5],
  ["tracker_expanded", 16, 2, 68],
  ["tracker_bench_default", 23, 5, 146],
] as const;

const base = structuredClone(seedOf("tracker_base")) as any;

describe("a seed", () => {
  test("all of them are here", () => {
    expect(TRACKER.map(({ template }) => template)).toEqual(SIZES.map(([name]) => name));
  });

  test.each(SIZES)("%s becomes rows", async (name, users, teams, issues) => {
    const { sql, t } = await plantedAs(name);

    const [counts] = await sql`
      select (select count(*)::int from ${t["users"]!}) as users,
        (select count(*)::int from ${t["teams"]!}) as teams,
        (select count(*)::int from ${t["issues"]!}) as issues
    `;
    expect(counts).toEqual({ users, teams, issues });
  });

  // Each query finds rows that the service would never create.
  test.each([
    [
      "times that do not fit the state",
      `select i.identifier from issues i join workflow_states s on s.id = i."stateId" where
        (s.type = 'completed') <> (i."completedAt" is not null)
        or (s.type in ('canceled', 'duplicate')) <> (i."canceledAt" is not null)
        or (s.type = 'triage') <> (i."startedTriageAt" is not null)
        or s.type = 'started' and i."startedAt" is null
        or s.type in ('triage', 'backlog', 'unstarted') and i."startedAt" is not null
        or not i."createdAt" <= least(i."startedAt", i."completedAt", i."canceledAt", i."updatedAt")`,
    ],
    [
      "a state, cycle or label of another team, or a group for a label",
      `select i.identifier from issues i
        join workflow_states s on s.id = i."stateId" left join cycles c on c.id = i."cycleId"
        left join issue_label_assignments a on a."issueId" = i.id left join issue_labels l on l.id = a."labelId"
        where s."teamId" <> i."teamId" or c."teamId" <> i."teamId" or l."teamId" <> i."teamId" or l."isGroup"`,
    ],
    [
      "two labels of a group that allows one",
      `select i.identifier from issues i join issue_label_assignments a on a."issueId" = i.id
        join issue_labels l on l.id = a."labelId" join issue_labels g on g.id = l."parentId"
        where g."groupType" = 'singleSelect' group by i.identifier, g.id having count(*) > 1`,
    ],
    [
      "a milestone of another project, or a project without the issue's team",
      `select i.identifier from issues i left join project_milestones m on m.id = i."projectMilestoneId"
        where m."projectId" is distinct from i."projectId" and m.id is not null
        or i."projectId" is not null and not exists (
          select from project_teams p where p."projectId" = i."projectId" and p."teamId" = i."teamId")`,
    ],
    [
      "a comment or attachment older than its issue, or a reply older than what it answers",
      `select c.id from comments c left join issues i on i.id = c."issueId"
        left join comments p on p.id = c."parentId"
        where c."createdAt" < i."createdAt" or c."createdAt" < p."createdAt"
        union select a.id from attachments a join issues i on i.id = a."issueId" where a."createdAt" < i."createdAt"`,
    ],
    [
      "a project whose times do not fit its status, or whose lead is no member",
      `select p.id from projects p join project_statuses s on s.id = p."statusId" where
        (s.type = 'completed') <> (p."completedAt" is not null) or s.type = 'started' and p."startedAt" is null
        or p."leadId" is not null and not exists (
          select from project_members m where m."projectId" = p.id and m."userId" = p."leadId")`,
    ],
    [
      "gaps or repetitions in the numbers of a team's issues",
      `select "teamId" from issues group by "teamId" having max(number) <> count(*)`,
    ],
    [
      "users or labels that share a name",
      `select lower("displayName") from users group by 1 having count(*) > 1
        union select lower(l.name) from issue_labels l join issue_labels o on lower(o.name) = lower(l.name)
          and o.id <> l.id and (o."teamId" is null or o."teamId" = l."teamId")`,
    ],
  ])("has no %s", async (_case, query) => {
    for (const { template } of TRACKER) {
      const { schema } = await plantedAs(template);
      const wrong = await inTransaction(pool, async (tx) => {
        await tx.unsafe(`set local search_path to ${quote(schema)}`);
        return await tx.unsafe(query);
      });
      expect([...wrong]).toEqual([]);
    }
  });

  test("gives the same rows each time", async () => {
    const rowsOf = async () => {
      const { sql, t } = await createTables(seedOf("tracker_default"));
      return await sql`select * from ${t["issues"]!} order by id`;
    };
    expect(await rowsOf()).toEqual(await rowsOf());
  });

  test("computes the values that it leaves out", async () => {
    const { sql, t } = await plantedAs("tracker_default");

    const [issue] = await sql`
      select i.*, s.name as state, s.type, array(
        select l.name from ${t["issue_label_assignments"]!} a join ${t["issue_labels"]!} l on l.id = a."labelId"
        where a."issueId" = i.id) as labels, array(
        select u."displayName" from ${t["issue_subscribers"]!} b join ${t["users"]!} u on u.id = b."userId"
        where b."issueId" = i.id order by 1) as subscribers
      from ${t["issues"]!} i join ${t["workflow_states"]!} s on s.id = i."stateId"
      where i.identifier = 'ENG-2'
    `;
    expect(issue).toMatchObject({
      number: 2,
      state: "In Progress",
      type: "started",
      labels: ["Bug"],
      subscribers: ["john", "robin"],
      sortOrder: -2,
      updatedAt: new Date("2026-01-07T08:45:00Z"),
    });
  });

  const issue = {
    identifier: "ENG-1",
    title: "One",
    state: "Todo",
    creator: "john",
    createdAt: "2026-01-05T09:00:00Z",
  };
  test.each([
    ["an unknown field", { issues: [{ ...issue, asignee: "john" }] }, "issues[0].asignee"],
    ["a missing field", { issues: [{ ...issue, title: undefined }] }, "issues[0].title"],
    ["a value of another type", { issues: [{ ...issue, priority: "high" }] }, "issues[0].priority"],
    [
      "a time without a zone",
      { issues: [{ ...issue, createdAt: "2026-01-05" }] },
      "issues[0].createdAt",
    ],
    ["an unknown section", { tickets: [] }, "tickets"],
    ["an unknown user", { issues: [{ ...issue, assignee: "jon" }] }, "issues[0].assignee"],
    ["an unknown team", { issues: [{ ...issue, identifier: "OPS-1" }] }, "issues[0].team"],
    ["a state of another team", { issues: [{ ...issue, state: "Nope" }] }, "issues[0].state"],
    ["an unknown label", { issues: [{ ...issue, labels: ["Bug"] }] }, "issues[0].labels[0]"],
    ["the same identifier twice", { issues: [issue, issue] }, "issues[1]"],
    [
      "a reply by an unknown user",
      {
        issues: [
          {
            ...issue,
            comments: [
              {
                user: "john",
                body: "a",
                createdAt: issue.createdAt,
                replies: [{ user: "jon", body: "b", createdAt: issue.createdAt }],
              },
            ],
          },
        ],
      },
      "issues[0].comments[0].replies[0].user",
    ],
  ])("is rejected for %s, with the path to it", async (_case, part, path) => {
    await expect(createTables({ ...base, ...part })).rejects.toThrow(`${path}: `);
  });
});

describe("a dump becomes a seed", () => {
  const USER = "b1000000-0000-4000-8000-000000000001";
  const dump = {
    organization: {
      id: "org_1",
      createdAt: "2026-01-05T09:00:00",
      name: "Acme",
      urlKey: "acme",
      logoUrl: null,
      gitBranchFormat: "{issueIdentifier}",
      roadmapEnabled: false,
      previousUrlKeys: ["old"],
    },
    users: [
      { id: "usr_1", name: "Ann", displayName: "ann", email: "ann@a.test", avatarUrl: null },
      { id: USER, name: "Bo", displayName: "bo", email: "bo@a.test", isMe: true },
    ],
    teams: [
      {
        id: "team_1",
        key: "ENG",
        name: "Engineering",
        createdAt: "2026-01-05 10:00:00.123456+02:00",
        members: [{ id: "mem_1", user: "usr_1", owner: true }, { user: "bo" }],
        states: [],
      },
    ],
    issues: [
      {
        id: "iss_1",
        identifier: "ENG-1",
        title: "One",
        team: "team_1",
        state: "Todo",
        creator: "usr_1",
        assignee: null,
        createdAt: "2026-01-06T09:00:00.5",
        url: "https://elsewhere.test/ENG-1",
        priorityLabel: "No priority",
        subscribers: ["usr_1"],
        comments: [{ user: "bo", body: "Hi", createdAt: "2026-01-06T10:00:00Z", editedAt: null }],
      },
    ],
    projects: null,
  };

  test("with nulls, moments, ids and fields in the service's format", async () => {
    const { sql, t } = await createTables(dump);
    const [organization] = await sql`select * from ${t["organizations"] as never}`;
    expect(organization).toMatchObject({
      gitBranchFormat: "{issueIdentifier}",
      roadmapEnabled: false,
      previousUrlKeys: ["old"],
      createdAt: new Date("2026-01-05T09:00:00Z"),
    });
    const [team] = await sql`select * from ${t["teams"] as never}`;
    expect(team).toMatchObject({ createdAt: new Date("2026-01-05T08:00:00.123Z") });
    const states = await sql`select name from ${t["workflow_states"] as never}`;
    expect(states.map(({ name }) => name)).toContain("Todo");
    const [issue] = await sql`select * from ${t["issues"] as never}`;
    const [ann] = await sql`select id from ${t["users"] as never} where name = 'Ann'`;
    expect(issue).toMatchObject({
      identifier: "ENG-1",
      creatorId: ann?.["id"],
      teamId: team?.["id"],
      createdAt: new Date("2026-01-06T09:00:00.500Z"),
    });
    const members = await sql`select * from ${t["team_memberships"] as never} order by owner desc`;
    expect(members).toMatchObject([
      { userId: ann?.["id"], owner: true },
      { userId: USER, owner: false },
    ]);
  });

  test("and the notes report what was mapped and ignored, deterministically", () => {
    const { notes } = readDump(dump);
    expect(notes.map((note) => note.replace(/[0-9a-f-]{36}$/, "ID"))).toEqual([
      'organization.id: "org_1" became ID',
      'users[0].id: "usr_1" became ID',
      "users[1].isMe: ignored, because the service computes it",
      'teams[0].id: "team_1" became ID',
      'teams[0].members[0].id: "mem_1" became ID',
      'issues[0].id: "iss_1" became ID',
      "issues[0].url: ignored, because the service computes it",
      "issues[0].priorityLabel: ignored, because the service computes it",
    ]);
    expect(readDump(dump).notes).toEqual([...notes]);
  });

  test("an unknown field is still a mistake", async () => {
    await expect(
      createTables({ ...dump, issues: [{ ...dump.issues[0], colour: 1 }] }),
    ).rejects.toThrow("issues[0].colour: ");
  });

  test("a seed is unchanged", () => {
    const seed = seedOf("tracker_expanded");
    expect(readDump(seed as never)).toEqual({ seed, notes: [] } as never);
  });
});
