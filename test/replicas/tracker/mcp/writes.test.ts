/** A writing tool leaves the rows that the same work leaves through GraphQL. */
import { beforeAll, describe, expect, test } from "bun:test";
import { vendor } from "~/replicas/tracker/mcp/vendor";
import { useSharedDatabase } from "../../../support/database";
import { everyRow } from "../../../support/rows";
import { createMask, useTools } from "../../../support/tools";
import { MARIA, openTracker, type Tracker, useTracker } from "../../../support/tracker";

const ENG = "c0000000-0000-4000-8000-000000000011";
const OPS = "c0000000-0000-4000-8000-000000000012";
const ALEX = "b0000000-0000-4000-8000-000000000014";

const database = useSharedDatabase();
/** Gets the tools; the other environment gets the documents. */
const one = useTracker(database, "tracker_expanded");
const tools = useTools(database, () => ({ schema: one.schema, actor: MARIA, baseUrl: BASE }));
let other: Tracker;
let mask: (text: string) => string;
const BASE = "http://localhost/services/tracker";

beforeAll(async () => {
  other = await openTracker(one.program, "tracker_expanded");
  mask = createMask(JSON.stringify(await everyRow(database, one.schema)));
});

/** Rows without the values that differ between two runs. */
async function rowsOf({ schema }: Pick<Tracker, "schema">): Promise<Record<string, string[]>> {
  const rows = await everyRow(database, schema);
  const address = /http:\/\/[^"]*?\/services\/tracker/g;
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list.map((row) => mask(JSON.stringify(row)).replace(address, BASE)).toSorted(),
    ]),
  );
}

type Step = readonly [document: string, variables?: object];
type Ids = Readonly<Record<string, any>>;
type Case = {
  readonly tool: string;
  readonly args: (ids: Ids) => object;
  /** Names the result for the cases after this one. */
  readonly as?: string;
  /** Each step gets the results of those before it, and of earlier cases. */
  readonly steps: readonly ((ids: Ids, results: readonly any[]) => Step)[];
};

const input = (operation: string, type: string, payload: string, value: object): Step => [
  `mutation($input: ${type}!) { ${operation}(input: $input) { ${payload} } }`,
  { input: value },
];
const update = (operation: string, type: string, id: string, value: object): Step => [
  `mutation($id: String!, $input: ${type}!) { ${operation}(id: $id, input: $input) { success } }`,
  { id, input: value },
];
const remove = (operation: string, id: string): Step => [
  `mutation { ${operation}(id: "${id}") { success } }`,
];

/** Ids of the template, by name. */
const NAMED = `{
  issues(filter: { number: { in: [1, 2, 3] }, team: { key: { eq: "ENG" } } }) { nodes { id identifier } }
  workflowStates(filter: { team: { key: { eq: "ENG" } } }) { nodes { id name } }
  issueLabels(first: 100) { nodes { id name } }
  projects { nodes { id name } } projectStatuses { nodes { id name } } projectLabels { nodes { id name } }
  initiatives { nodes { id name } } initiativeLabels { nodes { id name } }
  releases { nodes { id name } } releasePipelines { nodes { id name stages { nodes { id name } } } }
}`;
let named: Record<string, string> = {};
beforeAll(async () => {
  const data = await other.data(NAMED);
  const nodes = Object.values(data).flatMap((list: any) => list.nodes);
  const stages = nodes.flatMap((node) => node.stages?.nodes ?? []);
  named = Object.fromEntries(
    [...nodes, ...stages].map((node) => [node.identifier ?? node.name, node.id]),
  );
});

const CASES: readonly Case[] = [
  {
    tool: "save_issue",
    as: "issue",
    args: () => ({
      title: "Rate limits",
      team: "ENG",
      description: "Ask @alex",
      state: "todo",
      assignee: "Alex Chen",
      labels: ["Feature"],
      project: "Billing revamp",
      priority: 2,
      links: [{ url: "https://example.test/spec", title: "Spec" }],
      blocks: ["ENG-1"],
      relatedTo: ["ENG-2"],
      addReleases: ["February"],
    }),
    steps: [
      () =>
        input("issueCreate", "IssueCreateInput", "issue { id }", {
          title: "Rate limits",
          teamId: ENG,
          description: "Ask @alex",
          stateId: named["Todo"],
          assigneeId: ALEX,
          labelIds: [named["Feature"]],
          projectId: named["Billing revamp"],
          priority: 2,
        }),
      (_ids, [{ issueCreate }]) => [
        `mutation { attachmentLinkURL(issueId: "${issueCreate.issue.id}", url: "https://example.test/spec", title: "Spec") { success } }`,
      ],
      (_ids, [{ issueCreate }]) =>
        input("issueRelationCreate", "IssueRelationCreateInput", "success", {
          issueId: issueCreate.issue.id,
          relatedIssueId: named["ENG-1"],
          type: "blocks",
        }),
      (_ids, [{ issueCreate }]) =>
        input("issueRelationCreate", "IssueRelationCreateInput", "success", {
          issueId: issueCreate.issue.id,
          relatedIssueId: named["ENG-2"],
          type: "related",
        }),
      (_ids, [{ issueCreate }]) =>
        input("issueToReleaseCreate", "IssueToReleaseCreateInput", "success", {
          issueId: issueCreate.issue.id,
          releaseId: named["February"],
        }),
    ],
  },
  {
    tool: "save_issue",
    args: ({ issue }) => ({
      id: issue.id,
      state: "Done",
      assignee: null,
      patch: [{ op: "append", text: " today" }],
      duplicateOf: "ENG-2",
      removeReleases: ["February"],
    }),
    steps: [
      () =>
        update("issueUpdate", "IssueUpdateInput", "ENG-47", {
          stateId: named["Done"],
          assigneeId: null,
          description: "Ask @alex today",
        }),
      () => [`{ issue(id: "ENG-47") { id relations { nodes { id type } } } }`],
      (_ids, results) =>
        remove(
          "issueRelationDelete",
          results[1].issue.relations.nodes.find(({ type }: any) => type === "related").id,
        ),
      (_ids, results) =>
        input("issueRelationCreate", "IssueRelationCreateInput", "success", {
          issueId: results[1].issue.id,
          relatedIssueId: named["ENG-2"],
          type: "duplicate",
        }),
      (_ids, results) => [
        `mutation { issueToReleaseDeleteByIssueAndRelease(issueId: "${results[1].issue.id}", releaseId: "${named["February"]}") { success } }`,
      ],
    ],
  },
  {
    tool: "create_issue_label",
    args: () => ({ name: "Docs", description: "Words", color: "#112233", teamId: OPS }),
    steps: [
      () =>
        input("issueLabelCreate", "IssueLabelCreateInput", "success", {
          ...{ name: "Docs", description: "Words", color: "#112233", teamId: OPS },
          isGroup: false,
        }),
    ],
  },
  {
    tool: "create_initiative_label",
    args: () => ({ name: "Kind", isGroup: true }),
    steps: [
      () =>
        input("initiativeLabelCreate", "InitiativeLabelCreateInput", "success", {
          name: "Kind",
          isGroup: true,
        }),
    ],
  },
  {
    tool: "save_comment",
    as: "comment",
    args: () => ({ issueId: "ENG-2", body: "Look, @alex" }),
    steps: [
      () =>
        input("commentCreate", "CommentCreateInput", "comment { id }", {
          issueId: named["ENG-2"],
          body: "Look, @alex",
        }),
    ],
  },
  {
    tool: "delete_comment",
    args: ({ comment }) => ({ id: comment.id }),
    steps: [({ comment }) => remove("commentDelete", comment.commentCreate.comment.id)],
  },
  {
    tool: "save_project",
    as: "project",
    args: () => ({
      name: "Search",
      summary: "Find a load",
      description: "# Search",
      setTeams: ["ENG"],
      lead: "me",
      labels: ["Revenue"],
      state: "Paused",
      addInitiatives: ["Compliance"],
      links: [{ url: "https://example.test/search", title: "Page" }],
    }),
    steps: [
      () =>
        input("projectCreate", "ProjectCreateInput", "project { id }", {
          name: "Search",
          description: "Find a load",
          content: "# Search",
          teamIds: [ENG],
          leadId: MARIA,
          labelIds: [named["Revenue"]],
          statusId: named["Paused"],
        }),
      (_ids, [{ projectCreate }]) =>
        input("initiativeToProjectCreate", "InitiativeToProjectCreateInput", "success", {
          projectId: projectCreate.project.id,
          initiativeId: named["Compliance"],
        }),
      (_ids, [{ projectCreate }]) =>
        input("entityExternalLinkCreate", "EntityExternalLinkCreateInput", "success", {
          projectId: projectCreate.project.id,
          url: "https://example.test/search",
          label: "Page",
        }),
    ],
  },
  {
    tool: "save_milestone",
    args: () => ({ project: "Billing revamp", name: "Beta", targetDate: "2026-04-01" }),
    steps: [
      () =>
        input("projectMilestoneCreate", "ProjectMilestoneCreateInput", "success", {
          projectId: named["Billing revamp"],
          name: "Beta",
          targetDate: "2026-04-01",
        }),
    ],
  },
  {
    tool: "save_document",
    args: () => ({ title: "Plan", content: "Text", project: "Billing revamp" }),
    steps: [
      () =>
        input("documentCreate", "DocumentCreateInput", "success", {
          title: "Plan",
          content: "Text",
          projectId: named["Billing revamp"],
        }),
    ],
  },
  {
    tool: "save_initiative",
    args: () => ({
      name: "Fast",
      owner: "me",
      parentInitiatives: ["Compliance"],
      labels: ["Board"],
    }),
    steps: [
      () =>
        input("initiativeCreate", "InitiativeCreateInput", "initiative { id }", {
          name: "Fast",
          ownerId: MARIA,
          labelIds: [named["Board"]],
        }),
      (_ids, [{ initiativeCreate }]) =>
        input("initiativeRelationCreate", "InitiativeRelationCreateInput", "success", {
          initiativeId: named["Compliance"],
          relatedInitiativeId: initiativeCreate.initiative.id,
        }),
    ],
  },
  {
    tool: "save_status_update",
    as: "update",
    args: () => ({ type: "project", project: "Billing revamp", body: "Late", health: "offTrack" }),
    steps: [
      () =>
        input("projectUpdateCreate", "ProjectUpdateCreateInput", "projectUpdate { id }", {
          projectId: named["Billing revamp"],
          body: "Late",
          health: "offTrack",
        }),
    ],
  },
  {
    tool: "delete_status_update",
    args: ({ update: saved }) => ({ type: "project", id: saved.id }),
    steps: [
      ({ update: saved }) =>
        remove("projectUpdateArchive", saved.projectUpdateCreate.projectUpdate.id),
    ],
  },
  {
    tool: "save_release",
    args: () => ({ name: "March", pipeline: "Web", stage: "Staging", version: "2026.3" }),
    steps: [
      () =>
        input("releaseCreate", "ReleaseCreateInput", "success", {
          ...{ name: "March", pipelineId: named["Web"], stageId: named["Staging"] },
          version: "2026.3",
        }),
    ],
  },
  {
    tool: "save_release_note",
    args: () => ({ pipeline: "Web", title: "All", content: "New", rangeFromRelease: "January" }),
    steps: [
      () =>
        input("releaseNoteCreate", "ReleaseNoteCreateInput", "success", {
          ...{ pipelineId: named["Web"], title: "All", content: "New" },
          rangeFromReleaseId: named["January"],
        }),
    ],
  },
  {
    tool: "create_attachment",
    as: "attachment",
    args: () => ({
      ...{
        issue: "ENG-1",
        filename: "a.txt",
        contentType: "text/plain",
        base64Content: "aGVsbG8=",
      },
      sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    }),
    steps: [
      () => [
        `mutation { fileUpload(contentType: "text/plain", filename: "a.txt", size: 5) { uploadFile { assetUrl uploadUrl } } }`,
      ],
      (_ids, [{ fileUpload }]) => ["PUT hello", { url: fileUpload.uploadFile.uploadUrl }],
      (_ids, [{ fileUpload }]) =>
        input("attachmentCreate", "AttachmentCreateInput", "attachment { id }", {
          issueId: named["ENG-1"],
          title: "a.txt",
          url: fileUpload.uploadFile.assetUrl,
        }),
    ],
  },
  {
    tool: "create_attachment_from_upload",
    args: ({ attachment }) => ({ issue: "ENG-2", assetUrl: attachment.url, title: "Again" }),
    steps: [
      ({ attachment }) =>
        input("attachmentCreate", "AttachmentCreateInput", "success", {
          issueId: named["ENG-2"],
          title: "Again",
          url: attachment.fileUpload.uploadFile.assetUrl,
        }),
    ],
  },
  {
    tool: "delete_attachment",
    args: ({ attachment }) => ({ id: attachment.id }),
    steps: [
      ({ attachment }) => remove("attachmentDelete", attachment.attachmentCreate.attachment.id),
    ],
  },
  {
    tool: "prepare_attachment_upload",
    args: () => ({ issue: "ENG-1", filename: "b.png", contentType: "image/png", size: 4 }),
    steps: [
      () => [
        `mutation { fileUpload(contentType: "image/png", filename: "b.png", size: 4) { success } }`,
      ],
    ],
  },
];

describe("the rows after", () => {
  const ofTools: Record<string, any> = {};
  const ofDocuments: Record<string, any> = {};

  async function runStep([document, variables]: Step): Promise<any> {
    if (!document.startsWith("PUT ")) return await other.data(document, variables);
    const { url } = variables as { url: string };
    const headers = { "Content-Type": "text/plain" };
    const response = await fetch(url, { method: "PUT", headers, body: document.slice(4) });
    expect(response.status).toBe(200);
  }

  test.each(CASES.map((item) => [item.tool, item] as const))("%s", async (tool, item) => {
    const result = await tools.json(tool, item.args(ofTools));
    const results: any[] = [];
    for (const step of item.steps) results.push(await runStep(step(ofDocuments, results)));

    expect(result.warnings).toBeUndefined();
    if (item.as !== undefined) {
      ofTools[item.as] = result;
      ofDocuments[item.as] = Object.assign({}, ...results);
    }
    expect(await rowsOf(one)).toEqual(await rowsOf(other));
  });

  test("every writing tool, code reviews aside, are compared", () => {
    const writing = vendor.tools
      .filter((tool) => !vendor.isReading(tool))
      .map(({ name }) => name)
      .filter((name) => !/diff/.test(name));

    expect(writing.filter((name) => !CASES.some(({ tool }) => tool === name))).toEqual([]);
  });
});
