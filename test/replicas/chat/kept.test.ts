/** Tier 3: values that are only stored and read back. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, HELLO, JOHN, outcome, RANDOM, ROBIN, useScenes } from "./scene";

const newScene = useScenes();

describe("remote files", () => {
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

  test("are found by contents that are sent as text", async () => {
    const { url, agent, john } = await newScene();
    const send = async (headers: Record<string, string>, body: string | URLSearchParams) => {
      const answer: any = await (
        await fetch(`${url}/files.remote.add`, { method: "POST", headers, body })
      ).json();
      return answer.file?.id ?? answer.error;
    };
    const about = (n: number) => ({
      ...remote,
      external_id: `plan-${n}`,
      indexable_file_contents: "about an axolotl, Grüße",
    });

    const ids = [
      await send({}, new URLSearchParams(about(1))),
      await send({ "Content-Type": "application/json; charset=utf-8" }, JSON.stringify(about(2))),
    ];

    await agent.files.remote.share({ external_id: "plan-1", channels: GENERAL });
    const { files }: any = await john.search.files({ query: "axolotl grüße" });
    expect(files.matches.map(({ id }: any) => id)).toEqual([ids[0]]);
    expect(await agent.files.remote.info({ file: ids[1] })).toMatchObject({ ok: true });
    expect(
      await send({}, new URLSearchParams({ ...remote, external_id: "x", preview_image: "text" })),
    ).toBe("bad_image");
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
});

describe("calls", () => {
  test("are registered, joined, left, changed and ended", async () => {
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

    for (const duration of [-1, 2 ** 31])
      expect(await outcome(agent.calls.end({ id, duration }))).toBe("invalid_arguments");
    const ended: any = await agent.calls.end({ id, duration: 600 });
    expect(ended.call).toMatchObject({ duration: 600, date_end: expect.any(Number) });
    expect(await outcome(agent.calls.end({ id }))).toBe("inactive_call");
    expect(await outcome(agent.calls.participants.add({ id, users } as never))).toBe(
      "inactive_call",
    );
  });
});

describe("administration", () => {
  test("can be read by administrators", async () => {
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

describe("invitations of other organizations", () => {
  test("name their recipients as a comma list or as a list", async () => {
    const { agent } = await newScene();
    const recipients = async (emails: unknown) => {
      await agent.conversations.inviteShared({ channel: GENERAL, emails } as never);
      const { invites }: any = await agent.conversations.listConnectInvites({});
      return invites.map(({ invite }: any) => invite.recipient_email);
    };
    expect(await recipients("ann@other.test,bob@other.test")).toEqual(["ann@other.test"]);
    expect(await recipients("cat@other.test")).toContain("cat@other.test");
    expect(await recipients(["dan@other.test"])).toContain("dan@other.test");
  });

  test("have a code, which is a part of their id, and an address", async () => {
    const { agent } = await newScene();
    const invite: any = await agent.conversations.inviteShared({
      channel: GENERAL,
      emails: ["ann@other.test"],
    });

    expect(invite).toMatchObject({
      invite_id: expect.stringMatching(/^I[A-Z0-9]+$/),
      conf_code: invite.invite_id.slice(-6).toLowerCase(),
      url: `https://acme.chat.test/shared/${invite.invite_id}`,
      is_legacy_shared_channel: false,
    });
  });

  test("are stored, approved and declined", async () => {
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

  test("have no requests, and permissions are stored", async () => {
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
  test("store what agents set, and return it", async () => {
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
  test("accept one answer each", async () => {
    const { agent, trigger } = await newScene();
    const [first, second] = [await trigger(), await trigger()];
    const dialog = {
      title: "Ask",
      callback_id: "c",
      elements: [{ type: "text", label: "A", name: "a" }],
    };
    const open = (more: object = {}) =>
      outcome(agent.dialog.open({ trigger_id: first, dialog: { ...dialog, ...more } } as never));
    const succeed = () =>
      outcome(
        agent.functions.completeSuccess({ function_execution_id: "Fx01", outputs: { a: 1 } }),
      );
    const fail = (id: string) =>
      outcome(agent.functions.completeError({ function_execution_id: id, error: "no" }));
    const present = () =>
      outcome(
        agent.entity.presentDetails({
          trigger_id: second,
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
  test("is answered from the data", async () => {
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
      team_id: "T01ACMECORP",
      user_id_map: { [JOHN]: JOHN },
      invalid_user_ids: ["U99NOBODY"],
    });
    expect(await agent.rtm.connect({})).toMatchObject({
      self: { id: AGENT, name: "agent" },
      team: { id: "T01ACMECORP" },
      url: expect.stringMatching(/^ws/),
    });
  });
});
