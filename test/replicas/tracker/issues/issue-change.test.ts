import { describe, expect, test } from "bun:test";
import { TrackerError } from "~/replicas/tracker/errors";
import { changeOf, changesOf } from "~/replicas/tracker/issues/issue-change";
import type { IssueUpdate } from "~/replicas/tracker/issues/issue-columns";
import type { UpdateLookups } from "~/replicas/tracker/issues/update-lookups";
import type { Row } from "~/replicas/tracker/store/entities";
import type { Label } from "~/replicas/tracker/store/issues/issue-lookups";
import type { State, Team } from "~/replicas/tracker/store/issues/team-lookups";

const idOf = (digit: number) => `00000000-0000-4000-8000-${String(digit).padStart(12, "0")}`;
const [ENG, DES, SECRET] = [idOf(1), idOf(2), idOf(3)];
const [TODO, DOING, DONE, DUPLICATE, DES_TODO, SECRET_TODO] = [11, 12, 13, 14, 15, 16].map(idOf);
const [BUG, ENG_ONLY, RETIRED] = [idOf(21), idOf(22), idOf(23)];
const [ME, ROBIN] = [idOf(31), idOf(32)];
const [ISSUE, OTHER, PARENT] = [idOf(41), idOf(42), idOf(43)];
const [PROJECT, MILESTONE, CYCLE] = [idOf(51), idOf(52), idOf(53)];
const [ALPHA, BETA] = [idOf(61), idOf(62)];
const LINK = idOf(71);

const NOW = new Date("2026-03-01T12:00:00Z");
const BEFORE = new Date("2026-02-01T12:00:00Z");
const by = { now: NOW, viewer: { id: ME }, hiddenTeamIds: [] as string[] };

const team = (id: string, key: string, values: Partial<Team> = {}): Team => ({
  id,
  key,
  visibility: "public",
  parentId: null,
  retiredAt: null,
  archivedAt: null,
  cyclesEnabled: false,
  triageEnabled: false,
  requirePriorityToLeaveTriage: false,
  defaultIssueStateId: null,
  defaultTemplateForMembersId: null,
  defaultTemplateForNonMembersId: null,
  autoCloseParentIssues: false,
  autoCloseChildIssues: false,
  cycleIssueAutoAssignStarted: false,
  cycleIssueAutoAssignCompleted: false,
  lineage: [id],
  memberIds: [],
  activeCycleId: null,
  ...values,
});
const state = (id: string | undefined, teamId: string, type: string): State => ({
  id: id!,
  teamId,
  type,
  name: type,
  position: 0,
});
const label = (id: string, values: Partial<Label> = {}): Label => ({
  id,
  name: id,
  teamId: null,
  parentId: null,
  isGroup: false,
  retiredAt: null,
  exclusive: true,
  ...values,
});

const lookupsWith = (values: Partial<UpdateLookups> = {}): UpdateLookups => ({
  teams: [team(ENG, "ENG"), team(DES, "DES"), team(SECRET, "SEC", { visibility: "private" })],
  states: [
    state(TODO, ENG, "unstarted"),
    state(DOING, ENG, "started"),
    state(DONE, ENG, "completed"),
    state(DUPLICATE, ENG, "duplicate"),
    state(DES_TODO, DES, "unstarted"),
    state(SECRET_TODO, SECRET, "unstarted"),
  ],
  users: [
    { id: ME, displayName: "me" },
    { id: ROBIN, displayName: "Robin" },
  ],
  labels: [label(BUG), label(ENG_ONLY, { teamId: ENG }), label(RETIRED, { retiredAt: BEFORE })],
  labelIds: {},
  followerIds: {},
  issues: [],
  projects: [{ id: PROJECT, slugId: "p", identifier: "P-1", teamIds: [ENG] }],
  milestones: [{ id: MILESTONE, projectId: PROJECT }],
  cycles: [{ id: CYCLE, teamId: ENG }],
  templates: [],
  places: new Map([
    [DES, { teamId: DES, number: 7, sortOrder: -3 }],
    [SECRET, { teamId: SECRET, number: 0, sortOrder: 0 }],
  ]),
  duplicateIds: [],
  releases: [],
  ...values,
});

const issueWith = (values: Partial<Row<"Issue">> = {}) =>
  ({
    id: ISSUE,
    teamId: ENG,
    number: 4,
    identifier: "ENG-4",
    previousIdentifiers: [],
    title: "Old",
    stateId: TODO,
    priority: 3,
    assigneeId: null,
    delegateId: null,
    parentId: null,
    projectId: null,
    projectMilestoneId: null,
    cycleId: null,
    sharedWithUserIds: [],
    sortOrder: 0,
    startedAt: null,
    completedAt: null,
    canceledAt: null,
    startedTriageAt: null,
    triagedAt: null,
    ...values,
  }) as Row<"Issue">;

/** The sentence of the rejection. */
function rejection(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    if (error instanceof TrackerError) return error.presentable;
    throw error;
  }
  throw new Error("the change is not rejected");
}

type Case = readonly [
  name: string,
  input: IssueUpdate,
  expected: object,
  issue?: Partial<Row<"Issue">>,
  lookups?: Partial<UpdateLookups>,
];

const CASES: readonly Case[] = [
  [
    "is its columns and its history",
    { title: "New" },
    {
      columns: { title: "New", updatedAt: NOW },
      effects: { history: [{ issueId: ISSUE, fromTitle: "Old", toTitle: "New" }], notices: [] },
    },
  ],
  ["is empty if nothing differs", { title: "Old" }, { columns: {}, effects: { history: [] } }],
  [
    "has the times of its state",
    { stateId: DOING },
    { columns: { stateId: DOING, startedAt: NOW, updatedAt: NOW } },
  ],
  [
    "follows and notifies the new assignee, and notifies the old one",
    { assigneeId: ROBIN },
    {
      effects: {
        subscribed: [{ issueId: ISSUE, userId: ROBIN }],
        notices: [
          { type: "issueAssignedToYou", userIds: [ROBIN] },
          { type: "issueUnassignedFromYou", userIds: [ME] },
        ],
      },
    },
    { assigneeId: ME },
  ],
  [
    "follows and notifies mentioned users",
    { description: "ask @robin" },
    {
      effects: {
        subscribed: [{ userId: ROBIN }],
        notices: [{ type: "issueMention", userIds: [ROBIN] }],
      },
    },
  ],
  [
    "adds and removes labels",
    { labelIds: [BUG] },
    {
      columns: { updatedAt: NOW },
      effects: {
        labelled: [{ issueId: ISSUE, labelId: BUG }],
        unlabelled: [{ issueId: ISSUE, labelId: ENG_ONLY }],
        history: [{ addedLabelIds: [BUG], removedLabelIds: [ENG_ONLY] }],
      },
    },
    {},
    { labelIds: { [ISSUE]: [ENG_ONLY] } },
  ],
  [
    "replaces the followers",
    { subscriberIds: [ROBIN] },
    {
      columns: { updatedAt: NOW },
      effects: { subscribed: [{ userId: ROBIN }], unsubscribed: [{ userId: ME }], history: [] },
    },
    {},
    { followerIds: { [ISSUE]: [ME] } },
  ],
  [
    "moves to the next number and the corresponding state of another team, without labels of the old one",
    { teamId: DES },
    {
      columns: {
        teamId: DES,
        stateId: DES_TODO,
        number: 8,
        identifier: "DES-8",
        sortOrder: -4,
        previousIdentifiers: ["ENG-4"],
        addedToTeamAt: NOW,
        projectId: null,
        projectMilestoneId: null,
        cycleId: null,
      },
      isMoved: true,
      effects: { unlabelled: [{ labelId: ENG_ONLY }] },
    },
    { projectId: PROJECT, projectMilestoneId: MILESTONE, cycleId: CYCLE },
    { labelIds: { [ISSUE]: [BUG, ENG_ONLY] } },
  ],
  [
    "takes the issue from those who do not see the new team",
    { teamId: SECRET },
    {
      columns: { assigneeId: null },
      isOpen: false,
      effects: { unsubscribed: [{ userId: ROBIN }] },
    },
    { assigneeId: ROBIN },
    { followerIds: { [ISSUE]: [ROBIN] } },
  ],
  [
    "joins the active cycle if the team says so",
    { stateId: DOING },
    { columns: { cycleId: CYCLE, addedToCycleAt: NOW } },
    {},
    {
      teams: [
        team(ENG, "ENG", {
          cyclesEnabled: true,
          cycleIssueAutoAssignStarted: true,
          activeCycleId: CYCLE,
        }),
      ],
    },
  ],
  [
    "closes sub-issues and the parent if the team says so",
    { stateId: DONE },
    {
      columns: { completedAt: NOW },
      effects: { notices: [{ type: "issueStatusChangedDone", subscribersBut: [] }] },
      closing: { type: "completed", children: true, parentId: PARENT },
    },
    { parentId: PARENT },
    { teams: [team(ENG, "ENG", { autoCloseChildIssues: true, autoCloseParentIssues: true })] },
  ],
  [
    "enters a duplicate state as a duplicate",
    { stateId: DUPLICATE },
    { columns: { canceledAt: NOW } },
    {},
    { duplicateIds: [ISSUE] },
  ],
  [
    "takes the project of its milestone",
    { projectMilestoneId: MILESTONE },
    { columns: { projectId: PROJECT, projectMilestoneId: MILESTONE, addedToProjectAt: NOW } },
  ],
  [
    "replaces the releases",
    { releaseIds: [BETA] },
    { releases: { added: [BETA], removed: [LINK] }, columns: { updatedAt: NOW } },
    {},
    { releases: [{ id: LINK, issueId: ISSUE, releaseId: ALPHA }] },
  ],
  [
    "goes to the trash and comes back",
    { trashed: true },
    { columns: { trashed: true, archivedAt: NOW }, trashed: true },
  ],
];

describe("the change of an issue", () => {
  test.each(CASES.map(([name, ...rest]) => [name, rest] as const))(
    "%s",
    (_name, [input, expected, issue, lookups]) => {
      expect(changeOf(by, issueWith(issue), input, lookupsWith(lookups))).toMatchObject(expected);
    },
  );

  test.each<readonly [name: string, input: IssueUpdate, message: string]>([
    ["a state of another team", { stateId: DES_TODO }, "Discrepancy"],
    ["a retired label", { addedLabelIds: [RETIRED] }, "is retired"],
    ["a label of another team", { teamId: DES, addedLabelIds: [ENG_ONLY] }, "label"],
    ["a duplicate state without an original", { stateId: DUPLICATE }, "duplicate issue relation"],
    ["a cycle of another team", { teamId: DES, cycleId: CYCLE }, "Discrepancy"],
    ["an assignee outside a private team", { teamId: SECRET, assigneeId: ROBIN }, "not a member"],
    ["an unknown project", { projectId: idOf(99) }, "projectId"],
    ["an empty title", { title: " " }, "title should not be empty"],
  ])("is rejected with %s", (_name, input, message) => {
    expect(rejection(() => changeOf(by, issueWith(), input, lookupsWith()))).toContain(message);
  });

  test("is rejected in a hidden team if only members can make it", () => {
    const outside = { ...by, hiddenTeamIds: [ENG] };

    expect(
      rejection(() => changeOf(outside, issueWith(), { cycleId: null }, lookupsWith())),
    ).toContain("Only members of its team can change the cycleId");
    expect(changeOf(outside, issueWith(), { title: "New" }, lookupsWith()).columns.title).toBe(
      "New",
    );
  });

  test("changes neither the issue nor what was read", () => {
    const [issue, lookups] = [Object.freeze(issueWith()), Object.freeze(lookupsWith())];
    changeOf(by, issue, { teamId: DES, labelIds: [BUG] }, lookups);

    expect(issue).toEqual(issueWith());
    expect(lookups).toEqual(lookupsWith());
  });
});

test("issues that move together get successive numbers", () => {
  const there = issueWith({ id: idOf(44), teamId: DES, stateId: DES_TODO! });
  const issues = [issueWith(), there, issueWith({ id: OTHER, number: 5 })];
  const changes = changesOf(by, issues, { teamId: DES.toUpperCase() }, lookupsWith());

  expect(changes.map(({ columns }) => [columns.identifier, columns.sortOrder])).toEqual([
    ["DES-8", -4],
    [undefined, undefined],
    ["DES-9", -5],
  ]);
});
