/** The listing of the vendor's tools, and what all calls have in common. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { vendor } from "~/replicas/tracker/mcp/vendor";
import { useSharedDatabase } from "../../../support/database";
import { callTool, type Endpoint, endpointOf, send } from "../../../support/mcp";
import { everyRow } from "../../../support/rows";
import { undescribed, withoutDescription } from "../../../support/tool-listing";
import { useTools } from "../../../support/tools";
import { AGENT, ENG, JOHN, ROBIN, useTracker } from "../../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
const john = useTools(database, () => ({ schema: tracker.schema, actor: JOHN }));
const robin = useTools(database, () => ({ schema: tracker.schema, actor: ROBIN }));

const agent = useTools(database, () => ({ schema: tracker.schema, actor: AGENT }));

describe("the listing", () => {
  test("is that of the capture, but for the descriptions", async () => {
    const captured = await Bun.file(join(import.meta.dir, "vendor.jsonl")).text();
    const listed = undescribed(vendor.tools) as unknown[];

    expect(listed.map((tool) => JSON.stringify(tool)).join("\n")).toBe(captured.trimEnd());
  });

  test("has 58 tools, of which 36 only read", () => {
    expect(vendor.tools).toHaveLength(58);
    expect(vendor.tools.filter(vendor.isReading)).toHaveLength(36);
  });

  test("describes every tool and every argument", () => {
    expect(withoutDescription(vendor.tools)).toEqual([]);
  });
});

describe("a call", () => {
  test("of an unknown tool has no result", async () => {
    await expect(john.result("create_issue")).rejects.toThrow("there is no tool create_issue");
    await expect(john.result("toString")).rejects.toThrow("there is no tool toString");
  });

  test("acts as the environment's user", async () => {
    const { createdById } = await robin.json("save_issue", { team: "DES", title: "Mine" });

    expect(createdById).toBe(ROBIN);
    expect((await robin.json("get_user", { query: "me" })).id).toBe(ROBIN);
  });

  test("of a suspended user is rejected", async () => {
    await tracker.data(`mutation { userSuspend(id: "${AGENT}") { success } }`);

    expect(JSON.parse(await agent.rejection("get_workspace"))).toMatchObject({
      error: "invalid_request",
      message: "This user has been suspended.",
    });
    await tracker.data(`mutation { userUnsuspend(id: "${AGENT}") { success } }`);
  });

  test("that is rejected has no side effects, even after its first change", async () => {
    const before = await everyRow(database, tracker.schema);
    const rejections = [
      await john.rejection("save_project", { name: "P", addTeams: ["ENG"], addInitiatives: ["x"] }),
      await john.rejection("save_initiative", { name: "I", parentInitiatives: ["x"] }),
      await john.rejection("save_issue", {
        title: "T",
        team: "ENG",
        links: [{ url: "https://example.test", title: "L" }],
        setReleases: ["x"],
      }),
      await john.rejection("create_attachment", {
        issue: "ENG-99999",
        base64Content: "aGVsbG8=",
        filename: "hello.txt",
        contentType: "text/plain",
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      }),
    ];

    expect(rejections.slice(0, 3)).toEqual([
      'Error: Could not find initiative "x"',
      'Error: Could not find initiative "x"',
      'Error: Could not find release "x"',
    ]);
    expect(await everyRow(database, tracker.schema)).toEqual(before);
  });

  test("with a text or a list that is too long is rejected", async () => {
    const invalid = "Input validation error: Invalid arguments for tool";
    const long = "x".repeat(250_001);
    const texts = Array.from({ length: 1_001 }, () => "x");
    const edit = { op: "append", text: long };

    expect(await john.rejection("save_issue", { id: "ENG-1", description: long })).toBe(
      `${invalid} save_issue: description: Too big: expected string to have <=250000 characters`,
    );
    expect(await john.rejection("save_issue", { id: "ENG-1", patch: [edit] })).toBe(
      `${invalid} save_issue: patch.0.text: Too big: expected string to have <=250000 characters`,
    );
    expect(await john.rejection("save_issue", { id: "ENG-1", labels: texts })).toBe(
      `${invalid} save_issue: labels: Too big: expected array to have <=1000 items`,
    );
    expect(await john.rejection("save_issue", { id: "ENG-1", patch: texts })).toBe(
      `${invalid} save_issue: patch: Too big: expected array to have <=50 items`,
    );
    await john.json("save_issue", { id: "ENG-1", description: long.slice(1) });
  });

  test("with a file of more than 250,000 characters succeeds", async () => {
    const bytes = Buffer.alloc(200_000);
    const { title } = await john.json("create_attachment", {
      issue: "ENG-1",
      base64Content: bytes.toString("base64"),
      filename: "zeros.bin",
      contentType: "application/octet-stream",
      sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
    });

    expect(title).toBe("zeros.bin");
  });

  test("that is rejected upstream has a request id that follows from the request", async () => {
    const id = async (issue: string) =>
      JSON.parse(await john.rejection("get_issue", { id: issue })).requestId;

    expect(await id("ENG-98")).toMatch(/^[0-9a-f]{16}$/);
    expect(await id("ENG-98")).toBe(await id("ENG-98"));
    expect(await id("ENG-99")).not.toBe(await id("ENG-98"));
  });

  test("over the protocol has the same text", async () => {
    const at = endpoint();

    expect(await callTool(at, "get_workspace")).toEqual({
      text: '{"id":"a0000000-0000-4000-8000-000000000001","name":"Acme","url":"https://linear.app/acme"}',
      isError: false,
    });
    expect(await callTool(at, "save_issue", { bogus: 1 })).toEqual({
      text: 'Input validation error: Invalid arguments for tool save_issue: Unrecognized key: "bogus"',
      isError: true,
    });
  });
});

describe("a private team", () => {
  test("is hidden from users who are not in it", async () => {
    const { teamCreate } = await tracker.data(
      `mutation { teamCreate(input: { name: "Secret", key: "SEC", private: true }) { team { id } } }`,
    );
    const issue = await john.json("save_issue", { team: "SEC", title: "Hidden" });

    expect(teamCreate.team.id).not.toBe(ENG);
    expect(await robin.rejection("get_team", { query: "SEC" })).toBe(
      'Error: Could not find team "SEC"',
    );
    expect((await robin.json("list_issues", { team: "SEC" })).issues).toEqual([]);
    expect(await robin.rejection("save_issue", { id: issue.id, title: "x" })).toStartWith(
      `Error: Could not find issue "${issue.id}".`,
    );
    expect(JSON.parse(await robin.rejection("get_issue", { id: issue.uuid })).message).toBe(
      "Could not find referenced Issue.",
    );
  });
});

describe("edits of one text by concurrent calls", () => {
  test.each([
    ["save_issue", { team: "ENG", title: "T", description: "" }, "description"],
    ["save_project", { name: "Edited", setTeams: ["ENG"], description: "" }, "description"],
    ["save_document", { title: "Edited", team: "ENG", content: "" }, "content"],
    ["save_initiative", { name: "Edited", description: "" }, "description"],
  ] as const)("of %s are all kept", async (tool, created, field) => {
    const { id } = await john.json(tool, created);
    const letters = ["a", "b", "c", "d", "e"];
    await Promise.all(
      letters.map((text) => john.json(tool, { id, patch: [{ op: "append", text }] })),
    );
    const saved = await john.json(tool, { id });

    expect([...saved[field]].toSorted()).toEqual(letters);
  });
});

describe("a name", () => {
  test("of several labels is that of the issue's team, then that of the workspace", async () => {
    const ofTeam = await john.json("create_issue_label", { name: "Twice", teamId: ENG });
    await john.json("create_issue_label", { name: "twice", teamId: "DES" });
    const labelOf = async (team: string) => {
      const { uuid } = await john.json("save_issue", { team, title: "x", labels: ["TWICE"] });
      const { issue } = await tracker.data(`{ issue(id: "${uuid}") { labelIds } }`);
      return issue.labelIds[0];
    };

    expect(await labelOf("ENG")).toBe(ofTeam.id);
    expect(await labelOf("DES")).not.toBe(ofTeam.id);
  });

  test("that is ambiguous is rejected", async () => {
    await john.json("save_project", { name: "Same", setTeams: ["ENG"] });
    await john.json("save_project", { name: "Same", setTeams: ["ENG"] });

    expect(await john.rejection("get_project", { query: "same" })).toBe(
      'Error: There are 2 of the project "same": use an ID instead',
    );
  });

  test("can be a slug or the address of a page", async () => {
    const { id, url } = await john.json("save_project", { name: "By address", setTeams: ["ENG"] });

    expect((await john.json("get_project", { query: url })).id).toBe(id);
    expect((await john.json("get_project", { query: url.split("/").at(-1) })).id).toBe(id);
  });
});

describe("an update of an issue", () => {
  test("that changes nothing does not move its time", async () => {
    const { updatedAt, title } = await john.json("get_issue", { id: "ENG-4" });

    expect(await john.json("save_issue", { id: "ENG-4", title })).toMatchObject({ updatedAt });
  });
});

describe("a comment on a part of a text", () => {
  test("cannot be deleted when it is the first of its thread", async () => {
    const { commentCreate } = await tracker.data(
      `mutation($id: String!) { commentCreate(input: { issueId: $id, body: "?", quotedText: "CI" }) { comment { id } } }`,
      { id: "ENG-1" },
    );

    expect(await john.rejection("delete_comment", { id: commentCreate.comment.id })).toBe(
      "Error: The root of an inline comment cannot be deleted",
    );
  });
});

describe("the current cycle", () => {
  test("is found by its type", async () => {
    await tracker.data(
      `mutation { teamUpdate(id: "${ENG}", input: { cyclesEnabled: true }) { success } }`,
    );
    const { team } = await tracker.data(`{ team(id: "${ENG}") { activeCycle { id } } }`);
    const cycles = await john.json("list_cycles", { teamId: ENG, type: "current" });

    expect(cycles).toEqual([expect.objectContaining({ id: team.activeCycle.id, isCurrent: true })]);
    expect(cycles[0]).not.toHaveProperty("isPrevious");
  });
});

/** The blocks of a result over the protocol. */
async function content(at: Endpoint, name: string, args: object): Promise<any[]> {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  return (await send(at, message)).body.result.content;
}

const endpoint = () =>
  endpointOf(tracker.program, {
    environmentUrl: new URL(tracker.url).pathname,
    token: tracker.key,
  });

describe("files", () => {
  const PNG = Buffer.from("iVBORw0KGgo=", "base64");

  test("are uploaded to the prepared address, attached, and read as images", async () => {
    const at = endpoint();
    const prepared = await callTool(at, "prepare_attachment_upload", {
      issue: "ENG-1",
      filename: "a.png",
      contentType: "image/png",
      size: PNG.byteLength,
    });
    const { assetUrl, uploadRequest } = JSON.parse(prepared.text);
    const { url, method, headers } = uploadRequest;
    expect((await fetch(url, { method, headers, body: PNG })).status).toBe(200);
    const attached = await callTool(at, "create_attachment_from_upload", {
      issue: "ENG-1",
      assetUrl,
    });
    const attachment = JSON.parse(attached.text);
    expect(attachment).toMatchObject({ title: "a.png", subtitle: null, url: assetUrl });

    const image = { type: "image", data: PNG.toString("base64"), mimeType: "image/png" };
    expect((await content(at, "get_attachment", { id: attachment.id }))[1]).toEqual(image);
    const markdown = `![one](${assetUrl}) ![other](https://example.test/b.png)`;
    expect(await content(at, "extract_images", { markdown })).toEqual([
      { type: "text", text: "Images: 1. Not available: https://example.test/b.png" },
      image,
    ]);
    expect(await content(at, "extract_images", { markdown: `![a](${assetUrl})` })).toEqual([
      { type: "text", text: "Images: 1" },
      image,
    ]);
  });

  test("with padding inside their base64 are rejected in time in proportion to it", async () => {
    const before = process.cpuUsage();

    expect(
      await john.rejection("create_attachment", {
        issue: "ENG-1",
        base64Content: `${"=".repeat(200_000)}a`,
        filename: "a.txt",
        contentType: "text/plain",
        sha256: "0".repeat(64),
      }),
    ).toBe("Error: base64Content is not valid base64");
    // A search for the end from each sign takes tens of seconds.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3_000);
  });
});
