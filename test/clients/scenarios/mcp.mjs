/**
 * A community MCP server over stdio: `node mcp.mjs FOLDER ENTRY SCENARIO`, with the variables of this process. Prints the
 * number of tool calls.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [folder, entry, scenario] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { ResultSchema } = require("@modelcontextprotocol/sdk/types.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const client = new Client({ name: "scenario", version: "1.0.0" }, { capabilities: {} });
await client.connect(
  new StdioClientTransport({
    command: "node",
    args: [`${folder}/node_modules/${entry}`],
    env: process.env,
    stderr: "ignore",
  }),
);
let calls = 0;
async function text(name, args = {}) {
  calls++;
  const params = { name, arguments: args };
  // Without the client's check of the result: a failure of the old servers does not fit its shape.
  const { content, isError } = await client.request({ method: "tools/call", params }, ResultSchema);
  assert.ok(!isError && typeof content[0].text === "string", `${name}: ${JSON.stringify(content)}`);
  return content[0].text;
}
const tool = async (name, args) => JSON.parse(await text(name, args));

const SCENARIOS = {
  async slack() {
    const { channels } = await tool("slack_list_channels", { limit: 100 });
    const channel_id = channels.find(({ name }) => name === "random").id;
    const { members } = await tool("slack_get_users");
    assert.ok(members.some(({ id }) => id === "U02JOHNADOE"));
    const sent = [];
    for (let n = 0; n < 8; n++) {
      const { ok, ts } = await tool("slack_post_message", { channel_id, text: `From MCP ${n}` });
      assert.equal(ok, true);
      sent.push(ts);
    }
    for (const thread_ts of sent.slice(0, 4)) {
      const reply = await tool("slack_reply_to_thread", { channel_id, thread_ts, text: "Reply" });
      assert.equal(reply.message.thread_ts, thread_ts);
      const { messages } = await tool("slack_get_thread_replies", { channel_id, thread_ts });
      assert.deepEqual(messages.map((message) => message.text).slice(1), ["Reply"]);
    }
    for (const timestamp of sent)
      assert.equal(
        (await tool("slack_add_reaction", { channel_id, timestamp, reaction: "eyes" })).ok,
        true,
      );
    const { messages } = await tool("slack_get_channel_history", { channel_id, limit: 3 });
    assert.deepEqual(
      messages.map((message) => message.text),
      ["From MCP 7", "From MCP 6", "From MCP 5"],
    );
    assert.deepEqual(messages[0].reactions[0].users, ["U01AGENTONE"]);
    for (const user_id of ["U01AGENTONE", "U02JOHNADOE", "U03ROBINRAY"])
      assert.equal((await tool("slack_get_user_profile", { user_id })).ok, true);
    const nowhere = await tool("slack_post_message", { channel_id: "C0NOWHERE", text: "x" });
    assert.equal(nowhere.error, "channel_not_found");
  },

  async "mcp-server-linear"() {
    assert.match(await text("linear_get_teams"), /ENG/);
    assert.match(await text("linear_get_user"), /John/);
    const teamId = process.env.TEAM;
    const identifiers = [];
    for (let n = 0; n < 8; n++) {
      const made = await text("linear_create_issue", {
        ...{ teamId, title: `From MCP ${n}`, description: "Text" },
      });
      identifiers.push(/ENG-\d+/.exec(made)?.[0] ?? assert.fail(made));
    }
    for (const [n, issueId] of identifiers.entries())
      await text("linear_edit_issue", { issueId, title: `Renamed ${n}`, priority: 2 });
    for (const issueId of identifiers)
      assert.match(
        await text("linear_create_comment", { issueId, body: "From MCP" }),
        /[Cc]omment/,
      );
    for (const n of [1, 2, 3])
      assert.match(
        await text("linear_search_issues", { teamIds: [teamId], first: 10 * n }),
        /Renamed/,
      );
    // linear_get_issue is left out: its query costs 27,522 points, more than the service allows.
    await text("linear_delete_issue", { id: identifiers[7] });
  },

  async "mcp-linear"() {
    const viewer = await tool("linear_getViewer");
    const teams = await tool("linear_getTeams");
    const team = teams.find(({ key }) => key === "ENG");
    const states = await tool("linear_getWorkflowStates", { teamId: team.id });
    const done = states.find(({ type }) => type === "completed");
    const issues = [];
    for (let n = 0; n < 6; n++)
      issues.push(await tool("linear_createIssue", { teamId: team.id, title: `From MCP ${n}` }));
    for (const { id } of issues) {
      await tool("linear_updateIssue", { id, title: `Renamed ${id}`, priority: 1 });
      const read = await tool("linear_getIssueById", { id });
      assert.equal(read.title, `Renamed ${id}`);
    }
    for (const { id } of issues.slice(0, 3)) {
      await tool("linear_createComment", { issueId: id, body: "From MCP" });
      const comments = await tool("linear_getComments", { issueId: id });
      assert.match(JSON.stringify(comments), /From MCP/);
      await tool("linear_assignIssue", { issueId: id, assigneeId: viewer.id });
    }
    await tool("linear_updateIssue", { id: issues[0].id, stateId: done.id });
    assert.match(JSON.stringify(await tool("linear_getUsers")), new RegExp(viewer.id));
    assert.match(JSON.stringify(await tool("linear_getOrganization")), /urlKey|name/);
  },
};
await SCENARIOS[scenario]();
await client.close();
console.log(calls);
