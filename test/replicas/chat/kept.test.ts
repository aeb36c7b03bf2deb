/** Tier 3: what has to be kept and read back. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, HELLO, JOHN, RANDOM, ROBIN, type Scene, useScenes } from "./scene";

const newScene = useScenes();
const words = (text: string) => [
  {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  },
];
const outcome = (call: Promise<unknown>) =>
  call.then(
    () => "ok",
    (error) => error.data.error,
  );

describe("external files", () => {
  const remote = { title: "Plan", external_url: "https://docs.test/plan", external_id: "plan-1" };

  test("are added, found by either id, changed, shared and removed", async () => {
    const { agent, john } = await newScene();
    const added: any = await agent.files.remote.add({
      ...remote,
      filetype: "pdf",
      indexable_file_contents: Buffer.from("about an axolotl"),
    } as never);
    const file = added.file.id;

    expect(added.file).toMatchObject({
      title: "Plan",
      external_id: "plan-1",
      external_url: "https://docs.test/plan",
      is_external: true,
      mode: "external",
      filetype: "pdf",
    });
    expect((await agent.files.remote.info({ external_id: "plan-1" })).file).toEqual(added.file);
    expect(await outcome(john.files.remote.info({ file }))).toBe("file_not_found");

    await agent.files.remote.share({ file, channels: `${GENERAL},${RANDOM}` });
    const { messages }: any = await john.conversations.history({ channel: GENERAL, limit: 1 });
    expect(messages[0].files).toMatchObject([{ id: file, title: "Plan" }]);
    const { files }: any = await john.search.files({ query: "axolotl" });
    expect(files.matches).toMatchObject([{ id: file }]);

    const updated: any = await agent.files.remote.update({
      external_id: "plan-1",
      title: "New plan",
    } as never);
    expect(updated.file).toMatchObject({
      id: file,
      title: "New plan",
      external_url: remote.external_url,
    });

    await agent.files.remote.remove({ file });
    expect(await outcome(agent.files.remote.info({ file }))).toBe("file_not_found");
  });

  test("are listed by channel and time, in pages", async () => {
    const { agent } = await newScene();
    for (const n of [1, 2, 3])
      await agent.files.remote.add({ ...remote, external_id: `plan-${n}`, title: `${n}` });
    await agent.files.remote.share({ external_id: "plan-2", channels: GENERAL });
    const titles = (answer: any) => answer.files.map(({ title }: any) => title);
    const pages: string[] = [];
    for await (const page of agent.paginate("files.remote.list", { limit: 2 }))
      pages.push(...titles(page));

    expect(pages).toEqual(["3", "2", "1"]);
    expect(titles(await agent.files.remote.list({ channel: GENERAL }))).toEqual(["2"]);
    expect(titles(await agent.files.remote.list({ ts_to: "1700000000" }))).toEqual([]);
  });

  test.each<[string, string, object]>([
    ["files.remote.add", "bad_title", { ...remote, title: " " }],
    ["files.remote.add", "invalid_external_id", { ...remote, external_id: "" }],
    ["files.remote.add", "invalid_url", { ...remote, external_url: "plan" }],
    ["files.remote.add", "bad_image", { ...remote, preview_image: Buffer.from("x") }],
    ["files.remote.info", "too_many_ids", { file: "F1", external_id: "plan-1" }],
    ["files.remote.info", "invalid_args", {}],
    ["files.remote.remove", "file_not_found", { external_id: "none" }],
    ["files.remote.list", "invalid_cursor", { cursor: "garbage" }],
  ])("%s refuses with %s", async (method, code, args) => {
    const { agent, state } = await newScene();
    const before = await state();

    expect(await outcome(agent.apiCall(method, { ...args }))).toBe(code);
    expect(await state()).toEqual(before);
  });
});

describe("lists", () => {
  const schema = [
    { key: "task", name: "Task", type: "text", is_primary_column: true },
    { key: "who", name: "Who", type: "user" },
    {
      key: "state",
      name: "State",
      type: "select",
      options: {
        choices: [
          { value: "open", label: "Open", color: "red" },
          { value: "done", label: "Done", color: "green" },
        ],
      },
    },
    { key: "cost", name: "Cost", type: "number" },
  ];

  /** A list with two rows. */
  async function filled({ agent }: Scene) {
    const made: any = await agent.slackLists.create({ name: "Errands", schema } as never);
    const columns: any[] = made.list_metadata.schema;
    const column = (key: string): string => columns.find((each) => each.key === key).id;
    const add = async (task: string, more: object[] = []) => {
      const { item }: any = await agent.slackLists.items.create({
        list_id: made.list_id,
        initial_fields: [{ column_id: column("task"), rich_text: words(task) }, ...more],
      } as never);
      return item;
    };
    const milk = await add("Milk, fresh", [{ column_id: column("cost"), number: [2] }]);
    const bread = await add("Bread", [{ column_id: column("who"), user: [JOHN] }]);
    return { list: made.list_id as string, column, add, milk, bread };
  }

  test("hold rows with cells of the kinds of their columns", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const { list, column, milk, bread } = await filled(scene);

    await agent.slackLists.items.update({
      list_id: list,
      cells: [
        { row_id: milk.id, column_id: column("state"), select: ["done"] },
        { row_id: milk.id, column_id: column("cost"), number: [3] },
      ],
    } as never);

    const { items }: any = await agent.slackLists.items.list({ list_id: list });
    expect(items.map(({ id }: any) => id)).toEqual([milk.id, bread.id]);
    expect(items[0]).toMatchObject({ list_id: list, created_by: AGENT, updated_by: AGENT });
    expect(items[0].fields).toMatchObject([
      { key: "task", text: "Milk, fresh" },
      { key: "cost", number: [3] },
      { key: "state", select: ["done"] },
    ]);
    expect(items[1].fields).toMatchObject([{ key: "task" }, { key: "who", user: [JOHN] }]);
  });

  test("have rows below rows, copies of rows, and rows that go", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const { list, milk, bread } = await filled(scene);
    const create = async (args: object) => {
      const { item }: any = await agent.slackLists.items.create({
        list_id: list,
        ...args,
      } as never);
      return item;
    };
    const below = await create({ parent_item_id: milk.id });
    const copy = await create({ duplicated_item_id: bread.id });

    const info: any = await agent.slackLists.items.info({
      list_id: list,
      id: milk.id,
      include_is_subscribed: true,
    });
    expect(info.list).toMatchObject({ id: list, title: "Errands" });
    expect(info.record).toMatchObject({ id: milk.id, is_subscribed: true });
    expect(info.subtasks.map(({ id }: any) => id)).toEqual([below.id]);
    expect(copy.fields).toEqual(bread.fields);

    await agent.slackLists.items.delete({ list_id: list, id: milk.id });
    await agent.slackLists.items.deleteMultiple({ list_id: list, ids: [bread.id, "Rec99NOTHING"] });
    const left: any = await agent.slackLists.items.list({ list_id: list });
    expect(left.items.map(({ id }: any) => id)).toEqual([copy.id]);
  });

  test("are copied, renamed, shared and written into a file", async () => {
    const scene = await newScene();
    const { agent, robin } = scene;
    const { list } = await filled(scene);
    const copied: any = await agent.slackLists.create({
      name: "Again",
      copy_from_list_id: list,
      include_copied_list_records: true,
      todo_mode: true,
    });
    expect((await agent.slackLists.items.list({ list_id: copied.list_id })).items).toHaveLength(2);

    const read = () => outcome(robin.slackLists.items.list({ list_id: list }));
    expect(await read()).toBe("list_not_found");
    await agent.slackLists.access.set({ list_id: list, access_level: "read", user_ids: [ROBIN] });
    expect(await read()).toBe("ok");
    expect(await outcome(robin.slackLists.update({ id: list, name: "Mine" }))).toBe(
      "permission_denied",
    );
    await agent.slackLists.access.delete({ list_id: list, user_ids: [ROBIN] });
    expect(await read()).toBe("list_not_found");

    await agent.slackLists.update({ id: list, name: "Shopping" });
    const { job_id: job = "" } = await agent.slackLists.download.start({ list_id: list });
    const done: any = await agent.slackLists.download.get({ list_id: list, job_id: job });
    expect(done.status).toBe("COMPLETED");
    const file = await fetch(done.download_url, {
      headers: { Authorization: `Bearer xoxp-${AGENT}` },
    });
    expect(await file.text()).toBe(`Task,Who,State,Cost\n"Milk, fresh",,,2\nBread,${JOHN},,\n`);
  });

  test("come in pages", async () => {
    const scene = await newScene();
    const { list, add } = await filled(scene);
    await add("Eggs");
    const sizes: number[] = [];
    for await (const page of scene.agent.paginate("slackLists.items.list", {
      list_id: list,
      limit: 2,
    }))
      sizes.push((page as any).items.length);

    expect(sizes).toEqual([2, 1]);
  });

  test.each<[string, object]>([
    ["invalid_schema", { schema: "x" }],
    ["invalid_column_type", { schema: [{ ...schema[0], type: "sound" }] }],
    ["invalid_primary_column", { schema: [{ ...schema[0], is_primary_column: false }] }],
    ["invalid_copy_and_schema_args", { schema, copy_from_list_id: "F1" }],
    ["missing_arg_copy_from_list_id", { include_copied_list_records: true }],
    ["over_title_length_maximum", { name: "x".repeat(256) }],
    ["list_not_found", { copy_from_list_id: "F99NOTHING" }],
  ])("are not created: %s", async (code, args) => {
    const { agent, state } = await newScene();
    const before = await state();

    expect(await outcome(agent.slackLists.create({ name: "x", ...args } as never))).toBe(code);
    expect(await state()).toEqual(before);
  });

  test("refuse what their columns do not hold, and leave every cell as it was", async () => {
    const scene = await newScene();
    const { list, column, milk } = await filled(scene);
    const before = await scene.state();
    const row = { row_id: milk.id };
    const cases: [string, object][] = [
      ["invalid_column_id", { ...row, column_id: "Col99" }],
      ["column_id_not_provided", row],
      ["row_id_not_provided", { column_id: column("cost"), number: [1] }],
      ["row_not_found", { row_id: "Rec99", column_id: column("cost"), number: [1] }],
      ["invalid_input_type", { ...row, column_id: column("cost"), number: ["much"] }],
      ["invalid_option_id", { ...row, column_id: column("state"), select: ["lost"] }],
      ["user_not_found", { ...row, column_id: column("who"), user: ["U99NOBODY"] }],
      ["invalid_text_block", { ...row, column_id: column("task"), rich_text: ["x"] }],
    ];

    for (const [code, cell] of cases) {
      const right = { ...row, column_id: column("cost"), number: [99] };
      const call = scene.agent.slackLists.items.update({
        list_id: list,
        cells: [right, cell],
      } as never);
      expect([code, await outcome(call)]).toEqual([code, code]);
    }

    expect(await scene.state()).toEqual(before);
  });
});

describe("calls", () => {
  test("are told of, joined, left, changed and ended", async () => {
    const { agent } = await newScene();
    const users = [{ slack_id: JOHN }, { external_id: "x1", display_name: "Xenia" }];
    const added: any = await agent.calls.add({
      external_unique_id: "meet-1",
      join_url: "https://meet.test/1",
      title: "Weekly",
      users,
      date_start: 1_767_600_000,
    } as never);
    const id = added.call.id;
    expect(added.call).toMatchObject({
      id: expect.stringMatching(/^R/),
      external_unique_id: "meet-1",
      join_url: "https://meet.test/1",
      title: "Weekly",
      date_start: 1_767_600_000,
      users,
    });

    await agent.calls.participants.add({
      id,
      users: [{ slack_id: ROBIN }, { slack_id: JOHN }],
    } as never);
    await agent.calls.participants.remove({
      id,
      users: [{ external_id: "x1", display_name: "Xenia" }],
    } as never);
    await agent.calls.update({ id, title: "Monthly" });
    const { call }: any = await agent.calls.info({ id });
    expect(call).toMatchObject({
      title: "Monthly",
      users: [{ slack_id: JOHN }, { slack_id: ROBIN }],
    });

    const ended: any = await agent.calls.end({ id, duration: 600 });
    expect(ended.call).toMatchObject({ duration: 600, date_end: expect.any(Number) });
    expect(await outcome(agent.calls.end({ id }))).toBe("inactive_call");
    expect(await outcome(agent.calls.participants.add({ id, users } as never))).toBe(
      "inactive_call",
    );
  });

  test.each<[string, string, object]>([
    ["calls.add", "user_not_found", { users: [{ slack_id: "U99NOBODY" }] }],
    ["calls.add", "invalid_created_by", { created_by: "U99NOBODY" }],
    ["calls.add", "invalid_start_time", { date_start: -1 }],
    ["calls.info", "invalid_call_id", { id: "R99" }],
    ["calls.update", "invalid_call_id", { id: "R99", title: "x" }],
    ["calls.end", "invalid_call_id", { id: "R99" }],
    ["calls.participants.add", "missing_argument", { id: "R99" }],
    ["calls.participants.remove", "bad_users", { id: "R99", users: [{}] }],
  ])("%s refuses with %s", async (method, code, args) => {
    const { agent, state } = await newScene();
    const before = await state();
    const call = { external_unique_id: "meet-1", join_url: "https://meet.test/1", ...args };

    expect(await outcome(agent.apiCall(method, call))).toBe(code);
    expect(await state()).toEqual(before);
  });
});

describe("administration", () => {
  test("is read by administrators", async () => {
    const { agent, john, bot } = await newScene();

    const logs: any = await john.team.accessLogs({ count: 2 });
    const billable: any = await john.team.billableInfo({});
    const one: any = await john.team.billableInfo({ user: AGENT });
    const apps: any = await john.team.integrationLogs({ app_id: "A06BOT" });

    expect(logs.logins).toHaveLength(2);
    expect(logs.paging).toMatchObject({ count: 2, page: 1, total: 5 });
    expect(billable.billable_info[JOHN]).toEqual({ billing_active: true });
    expect(billable.billable_info["U06BOT"]).toEqual({ billing_active: false });
    expect(Object.keys(one.billable_info)).toEqual([AGENT]);
    expect(apps.logs).toMatchObject([{ app_id: "A06BOT", change_type: "added", user_id: JOHN }]);
    expect(await bot.team.billing.info({})).toMatchObject({ plan: "std" });
    expect(await john.team.externalTeams.list({})).toMatchObject({
      organizations: [],
      total_count: 0,
    });
    expect(await outcome(john.team.externalTeams.disconnect({ target_team: "T99" }))).toBe(
      "invalid_target_team",
    );
    expect(await outcome(agent.team.accessLogs({}))).toBe("restricted_action");
  });
});

describe("invitations of other organisations", () => {
  test("are kept, approved and declined", async () => {
    const { agent } = await newScene();
    const invite = (channel: string) =>
      agent.conversations.inviteShared({ channel, emails: ["ann@other.test"] });
    const first: any = await invite(GENERAL);
    const second: any = await invite(RANDOM);

    await agent.conversations.approveSharedInvite({ invite_id: first.invite_id });
    await agent.conversations.declineSharedInvite({ invite_id: second.invite_id });

    expect(first).toMatchObject({
      url: expect.stringContaining(first.invite_id),
      is_legacy_shared_channel: false,
    });
    const { invites }: any = await agent.conversations.listConnectInvites({});
    const states = Object.fromEntries(
      invites.map(({ invite: { id }, status }: any) => [id, status]),
    );
    expect(states).toEqual({ [first.invite_id]: "approved", [second.invite_id]: "declined" });
    const again = agent.conversations.approveSharedInvite({ invite_id: first.invite_id });
    expect(await outcome(again)).toBe("already_approved");
    const accepted = agent.conversations.acceptSharedInvite({
      channel_name: "x",
      invite_id: first.invite_id,
    });
    expect(await outcome(accepted)).toBe("invite_from_same_org");
  });

  test("are not asked for, and permissions are kept", async () => {
    const { agent, sql, schema } = await newScene();
    const { requestSharedInvite: requests, externalInvitePermissions: permissions } =
      agent.conversations;

    await permissions.set({ channel: GENERAL, target_team: "T99OTHER", action: "upgrade" });

    const kept = await sql.unsafe(
      `select id, data from "${schema}".records where type = 'external_permission'`,
    );
    expect(kept.slice()).toMatchObject([
      { id: `${GENERAL} T99OTHER`, data: { action: "upgrade" } },
    ]);
    expect(await requests.list({})).toMatchObject({ invite_requests: [] });
    expect(await outcome(requests.approve({ invite_id: "I99" }))).toBe("invite_not_found");
    expect(await outcome(requests.deny({ invite_id: "I99" }))).toBe("invite_not_found");
  });
});

describe("agents' channels", () => {
  test("keep what they are told, and show it", async () => {
    const { agent, robin } = await newScene();
    const { conversations, sessions } = agent.agents;
    const { channel_id: id = "" } = await conversations.create({
      name: "fix-the-roof",
      session_id: "s1",
      origin_channel_id: GENERAL,
      origin_message_ts: HELLO,
    });
    expect((await agent.conversations.info({ channel: id })).channel).toMatchObject({
      name: "fix-the-roof",
    });

    await conversations.setProperties({
      channel_id: id,
      agent_resource: { url: "https://acme.test" },
    });
    expect(
      await conversations.setCommands({ channel_id: id, commands: [{ name: "run" }] }),
    ).toMatchObject({
      channel_id: id,
      command_count: 1,
    });
    const first: any = await conversations.setView({
      channel_id: id,
      view_key: "plan",
      name: "Plan",
      content: "1",
    });
    const second: any = await conversations.setView({
      channel_id: id,
      view_key: "plan",
      name: "Plan",
      content: "2",
    });
    await conversations.setView({ channel_id: id, view_key: "log" });
    expect(second).toMatchObject({ view_id: first.view_id, content_version: 2 });
    const { views }: any = await conversations.listViews({ channel_id: id });
    expect(views.map((view: any) => [view.view_key, view.label, view.content_version])).toEqual([
      ["log", "log", 1],
      ["plan", "Plan", 2],
    ]);
    await conversations.removeView({ channel_id: id, view_key: "log" });
    expect((await conversations.listViews({ channel_id: id })).views).toHaveLength(1);

    expect(await sessions.rename({ channel_id: id, title: "Roof" })).toMatchObject({
      title: "Roof",
    });
    expect(await sessions.setStatus({ channel_id: id, status: "working" })).toMatchObject({
      status: "working",
      title: "Roof",
    });

    expect(await outcome(robin.agents.conversations.archive({ channel_id: id }))).toBe(
      "not_in_channel",
    );
    await conversations.archive({ channel_id: id });
    expect((await agent.conversations.info({ channel: id })).channel?.is_archived).toBe(true);
  });

  test("read and write canvases as Markdown", async () => {
    const { agent } = await newScene();
    const { canvas_id: id = "" } = await agent.canvases.create({
      title: "Plan",
      document_content: { type: "markdown", markdown: "# Old" },
    });
    const which = { channel: GENERAL, canvas_id: id };

    await agent.agents.conversations.setCanvasContent({ ...which, content: "# New\n\nBetter" });

    expect(await agent.agents.conversations.getCanvas(which)).toMatchObject({
      canvas_id: id,
      title: "Plan",
      content: "# New\n\nBetter",
      comments: [],
    });
  });
});

describe("clicks and workflows", () => {
  test("are answered once", async () => {
    const { agent } = await newScene();
    const dialog = {
      title: "Ask",
      callback_id: "c",
      elements: [{ type: "text", label: "A", name: "a" }],
    };
    const open = (more: object = {}) =>
      outcome(agent.dialog.open({ trigger_id: "t1", dialog: { ...dialog, ...more } } as never));
    const succeed = () =>
      outcome(
        agent.functions.completeSuccess({ function_execution_id: "Fx01", outputs: { a: 1 } }),
      );
    const fail = (id: string) =>
      outcome(agent.functions.completeError({ function_execution_id: id, error: "no" }));
    const present = () =>
      outcome(
        agent.entity.presentDetails({
          trigger_id: "t2",
          metadata: { entity_type: "item" },
        } as never),
      );

    expect(await open({ elements: [] })).toBe("validation_errors");
    expect([await open(), await open()]).toEqual(["ok", "trigger_exchanged"]);
    expect([await succeed(), await succeed()]).toEqual(["ok", "execution_not_in_running_state"]);
    expect([await fail("Fx02"), await fail("nothing")]).toEqual([
      "ok",
      "function_execution_not_found",
    ]);
    expect([await present(), await present()]).toEqual(["ok", "invalid_trigger_id"]);
  });

  test("are featured in channels", async () => {
    const { agent } = await newScene();
    const featured = async () => {
      const answer: any = await agent.workflows.featured.list({
        channel_ids: [GENERAL, "C99NOWHERE"],
      });
      expect(answer.invalid_channel_ids).toEqual(["C99NOWHERE"]);
      return answer.featured_workflows[0].triggers.map(({ id }: any) => id);
    };

    await agent.workflows.featured.set({ channel_id: GENERAL, trigger_ids: ["Ft01", "Ft02"] });
    await agent.workflows.featured.add({ channel_id: GENERAL, trigger_ids: ["Ft02", "Ft03"] });
    await agent.workflows.featured.remove({ channel_id: GENERAL, trigger_ids: ["Ft01"] });

    expect(await featured()).toEqual(["Ft02", "Ft03"]);
  });
});

describe("the rest", () => {
  test("is answered from what there is", async () => {
    const { agent } = await newScene();

    expect(
      await agent.users.discoverableContacts.lookup({ email: "john@acme.test" }),
    ).toMatchObject({
      is_discoverable: true,
    });
    expect(
      await agent.users.discoverableContacts.lookup({ email: "nobody@acme.test" }),
    ).toMatchObject({
      is_discoverable: false,
    });
    expect(await agent.migration.exchange({ users: `${JOHN},U99NOBODY` })).toMatchObject({
      team_id: "T01ACME",
      user_id_map: { [JOHN]: JOHN },
      invalid_user_ids: ["U99NOBODY"],
    });
    expect(await agent.rtm.connect({})).toMatchObject({
      self: { id: AGENT, name: "agent" },
      team: { id: "T01ACME" },
      url: expect.stringMatching(/^ws/),
    });
  });
});
