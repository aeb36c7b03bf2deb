/**
 * The lifecycle of everything that an input creates: it is read back as given, changed field by field, archived,
 * restored and deleted; rejected calls have no side effects.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { MODELS } from "~/replicas/tracker/store/models/index";
import { useSharedDatabase } from "../../support/database";
import { AGENT, DES, ENG, ROBIN, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
const NOTHING = "00000000-0000-4000-8000-000000000000";

type Fields = Readonly<Record<string, unknown>>;
type Life = {
  readonly type: string;
  /** Its name in the payload, unless it is the type. */
  readonly as?: string;
  readonly create: () => Fields;
  readonly update?: Fields;
  /** How to select fields of an input: `teamId` as `team { id }`. */
  readonly read?: Readonly<Record<string, string>>;
  /** A reference in its input, which is rejected when the row is missing. */
  readonly reference?: string;
  readonly ends: readonly ("Delete" | "Archive" | "Unarchive")[];
};

const ids: Record<string, string> = {};
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Creates an entity and stores its id under a name. */
async function make(type: string, input: Fields, as = lowerFirst(type)): Promise<string> {
  const stem = lowerFirst(type);
  const data = await tracker.data(
    `mutation($input: ${type}CreateInput!) { ${stem}Create(input: $input) { ${as} { id } } }`,
    { input },
  );
  return data[`${stem}Create`][as].id;
}

beforeAll(async () => {
  const made: readonly (readonly [name: string, type: string, input: () => Fields, as?: string])[] =
    [
      ["project", "Project", () => ({ name: "Home", teamIds: [ENG, DES] })],
      ["other", "Project", () => ({ name: "Garden", teamIds: [ENG] })],
      ["initiative", "Initiative", () => ({ name: "Grow" })],
      ["below", "Initiative", () => ({ name: "Seed" })],
      ["roadmap", "Roadmap", () => ({ name: "2026" })],
      ["issue", "Issue", () => ({ title: "Work", teamId: ENG })],
      ["customer", "Customer", () => ({ name: "Halden" })],
      ["pipeline", "ReleasePipeline", () => ({ name: "Web" })],
      ["release", "Release", () => ({ name: "One", pipelineId: ids["pipeline"] })],
    ];
  for (const [name, type, input, as] of made) ids[name] = await make(type, input(), as);
});

const LABEL = { name: "Loud", description: "What it means", color: "#abcdef" };
const LABEL_CHANGES = { name: "Quiet", description: null, color: "#123456" };

const LIVES: readonly Life[] = [
  {
    type: "Project",
    create: () => ({
      name: "House",
      description: "One",
      content: "Two",
      icon: "Home",
      color: "#abcdef",
      teamIds: [ENG],
      leadId: ROBIN,
      priority: 1,
      sortOrder: 3,
      prioritySortOrder: 4,
      startDate: "2026-01-01",
      startDateResolution: "quarter",
      targetDate: "2026-12-31",
      targetDateResolution: "year",
    }),
    update: {
      name: "Tower",
      description: "",
      content: null,
      leadId: AGENT,
      targetDate: null,
      frequencyResolution: "daily",
      updateReminderFrequencyInWeeks: 2,
      updateRemindersDay: "Monday",
      updateRemindersHour: 9,
    },
    read: { teamIds: "teams { nodes { id } }", leadId: "lead { id }" },
    reference: "leadId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "ProjectMilestone",
    create: () => ({
      name: "Beta",
      description: "First",
      projectId: ids["project"],
      sortOrder: 4,
      targetDate: "2026-02-02",
    }),
    update: { name: "Gamma", description: null, sortOrder: 1, targetDate: "2026-03-03" },
    read: { projectId: "project { id }" },
    reference: "projectId",
    ends: ["Delete"],
  },
  {
    type: "ProjectUpdate",
    create: () => ({
      body: "Fine",
      health: "atRisk",
      projectId: ids["project"],
      isDiffHidden: true,
    }),
    update: { body: "Finer", health: "onTrack" },
    read: { projectId: "project { id }" },
    reference: "projectId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "ProjectStatus",
    as: "status",
    create: () => ({
      name: "Parked",
      type: "paused",
      color: "#abcdef",
      position: 8,
      description: "Rests",
    }),
    update: { name: "Stored", color: "#123456", position: 9, description: null, indefinite: true },
    ends: ["Archive", "Unarchive"],
  },
  { type: "ProjectLabel", create: () => LABEL, update: LABEL_CHANGES, ends: ["Delete"] },
  {
    type: "ProjectRelation",
    create: () => ({
      type: "dependency",
      projectId: ids["project"],
      anchorType: "end",
      relatedProjectId: ids["other"],
      relatedAnchorType: "start",
    }),
    update: { anchorType: "start", relatedAnchorType: "end" },
    read: { projectId: "project { id }", relatedProjectId: "relatedProject { id }" },
    reference: "relatedProjectId",
    ends: ["Delete"],
  },
  {
    type: "Initiative",
    create: () => ({
      name: "Grow",
      description: "One",
      content: "Two",
      status: "Active",
      ownerId: ROBIN,
      priority: 2,
      color: "#abcdef",
      icon: "Tree",
      targetDate: "2026-12-31",
      targetDateResolution: "quarter",
    }),
    update: {
      name: "Shrink",
      description: null,
      status: "Canceled",
      ownerId: null,
      targetDate: null,
    },
    read: { ownerId: "owner { id }" },
    reference: "ownerId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "InitiativeUpdate",
    create: () => ({ body: "Slow", health: "offTrack", initiativeId: ids["initiative"] }),
    update: { body: "Slower", health: "atRisk" },
    read: { initiativeId: "initiative { id }" },
    reference: "initiativeId",
    ends: ["Archive", "Unarchive"],
  },
  { type: "InitiativeLabel", create: () => LABEL, update: LABEL_CHANGES, ends: ["Delete"] },
  {
    type: "InitiativeToProject",
    create: () => ({ initiativeId: ids["initiative"], projectId: ids["project"], sortOrder: 2 }),
    update: { sortOrder: 5 },
    read: { initiativeId: "initiative { id }", projectId: "project { id }" },
    reference: "projectId",
    ends: ["Delete"],
  },
  {
    type: "InitiativeRelation",
    create: () => ({
      initiativeId: ids["initiative"],
      relatedInitiativeId: ids["below"],
      sortOrder: 2,
    }),
    update: { sortOrder: 5 },
    read: { initiativeId: "initiative { id }", relatedInitiativeId: "relatedInitiative { id }" },
    reference: "relatedInitiativeId",
    ends: ["Delete"],
  },
  {
    type: "Roadmap",
    create: () => ({
      name: "2027",
      description: "Far",
      color: "#abcdef",
      ownerId: ROBIN,
      sortOrder: 3,
    }),
    update: { name: "2028", description: null, ownerId: AGENT, sortOrder: 4 },
    read: { ownerId: "owner { id }" },
    reference: "ownerId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "RoadmapToProject",
    create: () => ({ roadmapId: ids["roadmap"], projectId: ids["project"] }),
    update: {},
    read: { roadmapId: "roadmap { id }", projectId: "project { id }" },
    reference: "roadmapId",
    ends: ["Delete"],
  },
  {
    type: "Document",
    create: () => ({
      title: "Plan",
      content: "# One",
      icon: "Page",
      color: "#abcdef",
      issueId: ids["issue"],
      sortOrder: 2,
    }),
    update: {
      title: "Plans",
      content: "Two",
      icon: null,
      projectId: "",
      hiddenAt: "2026-01-01T00:00:00.000Z",
    },
    read: { issueId: "issue { id }", projectId: "project { id }" },
    reference: "issueId",
    ends: ["Delete", "Unarchive"],
  },
  {
    type: "CustomView",
    create: () => ({
      name: "Mine",
      description: "Issues",
      icon: "Eye",
      color: "#abcdef",
      shared: true,
      teamId: ENG,
      ownerId: ROBIN,
      filterData: { priority: { lte: 2 } },
    }),
    update: { name: "Ours", description: null, filterData: { priority: { gt: 2 } } },
    read: { teamId: "team { id }", ownerId: "owner { id }" },
    reference: "teamId",
    ends: ["Delete"],
  },
  {
    type: "Template",
    create: () => ({
      name: "Bug",
      type: "issue",
      description: "Broken",
      icon: "Bug",
      color: "#abcdef",
      teamId: ENG,
      templateData: { title: "Bug: " },
    }),
    update: { name: "Defect", description: null, templateData: { title: "Defect: " } },
    read: { teamId: "team { id }" },
    reference: "teamId",
    ends: ["Delete"],
  },
  {
    type: "Webhook",
    create: () => ({
      label: "CI",
      url: "https://hooks.test/",
      resourceTypes: ["Issue"],
      teamId: ENG,
      enabled: false,
      secret: "s3cret",
    }),
    update: { label: null, url: "https://hooks.test/2", resourceTypes: ["Comment"], enabled: true },
    read: { teamId: "team { id }" },
    reference: "teamId",
    ends: ["Delete"],
  },
  {
    type: "EntityExternalLink",
    create: () => ({
      label: "Site",
      url: "https://a.test/",
      initiativeId: ids["initiative"],
      sortOrder: 3,
    }),
    update: { label: "Page", url: "https://b.test/", sortOrder: 1 },
    read: { initiativeId: "initiative { id }" },
    reference: "initiativeId",
    ends: ["Delete"],
  },
  {
    type: "Customer",
    create: () => ({
      name: "Bright",
      domains: ["bright.test"],
      externalIds: ["crm-9"],
      logoUrl: "https://a.test/logo.png",
      revenue: 9,
      size: 4,
      ownerId: ROBIN,
      slackChannelId: "C1",
    }),
    update: { name: "Brighter", domains: [], revenue: 10, ownerId: null },
    read: { ownerId: "owner { id }" },
    reference: "ownerId",
    ends: ["Delete"],
  },
  {
    type: "CustomerNeed",
    as: "need",
    create: () => ({
      body: "Please",
      priority: 1,
      customerId: ids["customer"],
      issueId: ids["issue"],
    }),
    update: { body: "Please!", priority: 0 },
    read: { customerId: "customer { id }", issueId: "issue { id }" },
    reference: "issueId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "CustomerStatus",
    as: "status",
    create: () => ({
      name: "Trial",
      displayName: "On trial",
      color: "#abcdef",
      description: "New",
      position: 7,
    }),
    update: { displayName: "Trying", color: "#123456", description: null, position: 8 },
    ends: ["Delete"],
  },
  {
    type: "CustomerTier",
    as: "tier",
    create: () => ({
      name: "Gold",
      displayName: "Golden",
      color: "#abcdef",
      description: "Best",
      position: 7,
    }),
    update: { displayName: "Goldener", color: "#123456", description: null, position: 8 },
    ends: ["Delete"],
  },
  {
    type: "ReleasePipeline",
    create: () => ({
      name: "App",
      type: "scheduled",
      isProduction: false,
      includePathPatterns: ["app/**"],
      autoGenerateReleaseNotesOnCompletion: true,
      rolloverIssuesOnCompletion: true,
      slugId: "app",
    }),
    update: { name: "Apps", includePathPatterns: [], isProduction: true },
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "ReleaseStage",
    create: () => ({
      name: "Canary",
      type: "started",
      color: "#abcdef",
      position: 9,
      frozen: true,
      pipelineId: ids["pipeline"],
    }),
    update: { name: "Canaries", color: "#123456", position: 7, frozen: false },
    read: { pipelineId: "pipeline { id }" },
    reference: "pipelineId",
    ends: ["Archive", "Unarchive"],
  },
  {
    type: "Release",
    create: () => ({
      name: "Two",
      description: "Better",
      version: "2.0",
      commitSha: "abc",
      startDate: "2026-01-01",
      targetDate: "2026-02-02",
      pipelineId: ids["pipeline"],
    }),
    update: { name: "Three", description: null, version: "3.0", targetDate: null },
    read: { pipelineId: "pipeline { id }" },
    reference: "pipelineId",
    ends: ["Archive", "Unarchive", "Delete"],
  },
  {
    type: "ReleaseNote",
    create: () => ({ title: "News", pipelineId: ids["pipeline"], releaseIds: [ids["release"]] }),
    update: { title: "More news", releaseIds: [] },
    read: { pipelineId: "pipeline { id }", releaseIds: "releases { id }" },
    reference: "pipelineId",
    ends: ["Delete"],
  },
  {
    type: "IssueToRelease",
    create: () => ({ issueId: ids["issue"], releaseId: ids["release"] }),
    read: { issueId: "issue { id }", releaseId: "release { id }" },
    reference: "releaseId",
    ends: ["Delete"],
  },
  {
    type: "TimeSchedule",
    create: () => ({
      name: "Nights",
      externalId: "pd-7",
      externalUrl: "https://a.test/",
      entries: [],
    }),
    update: { name: "Days", externalUrl: null },
    read: { entries: "entries { userId }" },
    ends: ["Delete"],
  },
  {
    type: "TriageResponsibility",
    create: () => ({
      action: "notify",
      teamId: DES,
      manualSelection: { userIds: [ROBIN], assignmentIndex: 0 },
    }),
    update: { action: "assign" },
    read: { teamId: "team { id }", manualSelection: "manualSelection { userIds assignmentIndex }" },
    reference: "teamId",
    ends: ["Delete"],
  },
  {
    type: "AgentSkill",
    create: () => ({ title: "Sort", body: "Sort it", color: "#abcdef", icon: "Bolt", teamId: ENG }),
    update: { title: "Sorting", body: "Sort all", icon: null },
    reference: "teamId",
    ends: ["Delete"],
  },
];

/** A relation as its id, several as their ids. */
const plain = (value: any): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (value?.nodes) return plain(value.nodes);
  return value && Object.keys(value).join() === "id" ? value.id : value;
};

describe("the lifecycle of", () => {
  test.each(LIVES.map((life) => [life.type, life] as const))("a %s", async (type, life) => {
    const stem = lowerFirst(type);
    const field = (name: string) => `${name}: ${life.read?.[name] ?? name}`;
    const names = [
      ...new Set([...Object.keys(life.create()), ...Object.keys(life.update ?? {})]),
    ].filter((name) => !UNREAD.has(`${type}.${name}`));
    const query = `query($id: String!) { it: ${stem}(id: $id) { ... on ${type} { id archivedAt ${names.map(field).join(" ")} } } }`;
    const look = async (id: string): Promise<Fields> =>
      Object.fromEntries(
        Object.entries((await tracker.data(query, { id })).it).map(([name, value]) => [
          name,
          plain(value),
        ]),
      );
    const readable = (given: Fields) =>
      Object.fromEntries(
        Object.entries(given)
          .filter(([name]) => !UNREAD.has(`${type}.${name}`))
          .map(([name, value]) => [
            name,
            `${type}.${name}` === "Template.templateData" ? JSON.stringify(value) : value,
          ]),
      );

    const input = life.create();
    const id = await make(type, input, life.as);
    expect(await look(id)).toMatchObject(readable(input));

    if (life.update) {
      const changes = {
        ...life.update,
        ...("projectId" in life.update && { projectId: ids["project"] }),
      };
      await tracker.data(
        `mutation($id: String!, $input: ${type}UpdateInput!) { ${stem}Update(id: $id, input: $input) { success } }`,
        { id, input: changes },
      );
      const left = type === "Document" ? { issueId: null } : {};
      expect(await look(id)).toMatchObject(readable({ ...input, ...changes, ...left }));
    }

    const end = (name: string) =>
      tracker.data(`mutation($id: String!) { it: ${stem}${name}(id: $id) { success } }`, { id });
    for (const name of life.ends) {
      expect((await end(name)).it.success).toBe(true);
      if (name === "Archive") expect((await look(id))["archivedAt"]).toBeString();
      if (name === "Unarchive") expect((await look(id))["archivedAt"]).toBeNull();
    }
    if (life.ends.at(-1) === "Delete" && !KEPT.has(type))
      expect((await tracker.ask(query, { id })).errors[0].message).toBe(
        `Entity not found: ${type}`,
      );

    const before = await count(type);
    const missing = await tracker.ask(
      `mutation($input: ${type}CreateInput!) { ${stem}Create(input: $input) { success } }`,
      { input: { ...input, [life.reference ?? "id"]: life.reference ? NOTHING : "no id" } },
    );
    expect(missing.data).toBeNull();
    expect(missing.errors[0].extensions.type).toBe("invalid input");
    expect(await count(type)).toBe(before);
  });
});

/** The number of rows of a type. */
async function count(type: string): Promise<number> {
  const { table, shared } = MODELS.get(type)!;
  const [row] = await database.sql.unsafe(
    `select count(*)::int as rows from "${tracker.schema}".${table} ${shared ? `where type = '${type}'` : ""}`,
  );
  return row!["rows"];
}

/** Input fields that the type does not have. */
const UNREAD = new Set(["InitiativeToProject.sortOrder"]);
/** They are in the trash, or in the archive. */
const KEPT = new Set([
  "Document",
  "Initiative",
  "Project",
  "ProjectUpdate",
  "Release",
  "ReleasePipeline",
]);
