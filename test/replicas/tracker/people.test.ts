import { describe, expect, test } from "bun:test";
import { ForbiddenLinearError, InvalidInputLinearError, UserLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { AGENT, DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());

describe("the workspace", () => {
  test("has its fields and its rows", async () => {
    const organization = await tracker.linear.organization;

    expect(organization).toMatchObject({ name: "Acme", urlKey: "acme", userCount: 3 });
    expect((await organization.teams()).nodes).toHaveLength(2);
    expect((await organization.users()).nodes).toHaveLength(3);
  });

  test("is updated by admins, and remembers its old URL key", async () => {
    await tracker.linear.updateOrganization({
      urlKey: "acme-corp",
      authSettings: { disableAuthServiceBypass: true },
    });
    const organization = await tracker.linear.organization;

    expect(organization.previousUrlKeys).toEqual(["acme"]);
    expect(organization.authSettings).toMatchObject({ disableAuthServiceBypass: true });
    expect((await tracker.linear.issue("ENG-1")).url).toStartWith("https://linear.app/acme-corp/");
    await tracker.linear.updateOrganization({ urlKey: "acme" });
    expect(await refusal(tracker.as(ROBIN).updateOrganization({ name: "x" }))).toBeInstanceOf(
      ForbiddenLinearError,
    );
    expect(await refusal(tracker.linear.updateOrganization({ urlKey: "A b" }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });
});

describe("users", () => {
  test("are found by id, as me, and by filters", async () => {
    const me = await tracker.linear.user("me");
    const { nodes } = await tracker.linear.users({ filter: { isMe: { eq: false } } });

    expect(me).toMatchObject({
      id: JOHN,
      isMe: true,
      initials: "JD",
      url: "https://linear.app/acme/profiles/john",
    });
    expect(nodes.map(({ id }) => id).toSorted()).toEqual([AGENT, ROBIN]);
    expect((await me.teams()).nodes.map(({ key }) => key)).toEqual(["ENG"]);
    expect((await me.assignedIssues()).nodes.length).toBe(2);
  });

  test("update themselves; admins update anyone", async () => {
    await tracker.as(ROBIN).updateUser(ROBIN, { statusEmoji: "🌴", statusLabel: "Away" });
    await tracker.linear.updateUser(ROBIN, { title: "Lead" });

    expect(await tracker.linear.user(ROBIN)).toMatchObject({ title: "Lead", statusLabel: "Away" });
    expect(await refusal(tracker.as(ROBIN).updateUser(JOHN, { title: "x" }))).toBeInstanceOf(
      ForbiddenLinearError,
    );
    expect(
      (await refusal(tracker.linear.updateUser(ROBIN, { displayName: "JOHN" }))).message,
    ).toMatch(/already a user/);
  });

  test("who are suspended are hidden unless requested", async () => {
    await tracker.linear.suspendUser(ROBIN);
    const ids = async (includeDisabled: boolean) =>
      (await tracker.linear.users({ includeDisabled })).nodes.map(({ id }) => id);

    expect(await ids(false)).not.toContain(ROBIN);
    expect(await ids(true)).toContain(ROBIN);
    await tracker.linear.unsuspendUser(ROBIN);
    expect(await refusal(tracker.linear.suspendUser(JOHN))).toBeInstanceOf(UserLinearError);
  });

  test("get another role only from admins; that is recorded", async () => {
    const promote = (user: string, role: string) =>
      tracker.ask(
        `mutation { userChangeRole(id: "${ROBIN}", role: ${role}) { success } }`,
        {},
        user,
      );

    expect((await promote(AGENT, "admin")).errors[0].extensions.type).toBe("forbidden");
    expect((await promote(JOHN, "admin")).data).toEqual({ userChangeRole: { success: true } });
    expect((await tracker.linear.user(ROBIN)).admin).toBe(true);
    const entries = await tracker.linear.auditEntries({
      filter: { type: { eq: "userRoleUpdated" } },
    });
    expect(entries.nodes[0]?.metadata).toEqual({
      entityType: "User",
      entityId: ROBIN,
      role: "admin",
    });
    await promote(JOHN, "user");
    expect(await refusal(tracker.as(ROBIN).auditEntries())).toBeInstanceOf(ForbiddenLinearError);
    const types = await tracker.linear.auditEntryTypes;
    expect(types.map(({ type }) => type)).toContain("userRoleUpdated");
  });
});

describe("teams", () => {
  test("are created with states, a unique key, and their creator", async () => {
    const payload = await tracker.linear.createTeam({
      name: "Platform Engineering",
      triageEnabled: true,
    });
    const team = (await payload.team)!;

    expect(team.key).toBe("PLA");
    const { nodes } = await team.states();
    const names = nodes.toSorted((a, b) => a.position - b.position).map(({ name }) => name);
    expect(names).toEqual([
      "Triage",
      "Backlog",
      "Todo",
      "In Progress",
      "Done",
      "Canceled",
      "Duplicate",
    ]);
    expect((await team.defaultIssueState)?.name).toBe("Backlog");
    const [membership] = (await team.memberships()).nodes;
    expect(membership?.owner).toBe(true);
    expect((await membership?.user)?.id).toBe(JOHN);
    expect((await (await tracker.linear.createTeam({ name: "Plants" })).team)?.key).toBe("PLA2");
  });

  test("are found by id and by key", async () => {
    expect((await tracker.linear.team("eng")).id).toBe(ENG);
    expect((await tracker.linear.team(ENG)).displayName).toBe("Engineering");
  });

  test("rename their issues with their key, and the old identifiers still work", async () => {
    await tracker.linear.updateTeam(DES, { key: "ART" });
    const issue = await tracker.linear.issue("DES-1");

    expect(issue.identifier).toBe("ART-1");
    expect((await refusal(tracker.linear.createTeam({ name: "x", key: "DES" }))).message).toMatch(
      /taken/,
    );
    expect((await refusal(tracker.linear.updateTeam(ENG, { key: "no key" }))).message).toMatch(
      /key must be/,
    );
    await tracker.linear.updateTeam(DES, { key: "DES" }).catch(() => undefined);
  });

  test("form a tree without cycles", async () => {
    const child = (await (await tracker.linear.createTeam({ name: "Below", parentId: ENG })).team)!;

    expect(child.displayName).toBe("Engineering › Below");
    expect((await child.parent)?.id).toBe(ENG);
    expect((await refusal(tracker.linear.updateTeam(ENG, { parentId: child.id }))).message).toMatch(
      /below itself/,
    );
    await tracker.linear.createIssue({ teamId: child.id, title: "Deep down" });
    const { data } = await tracker.ask(
      `{ team(id: "ENG") { children { id } a: issues { nodes { title } } b: issues(includeSubTeams: true) { nodes { title } } } }`,
    );
    expect(data.team.children).toEqual([{ id: child.id }]);
    const titles = (list: any) => list.nodes.map(({ title }: any) => title);
    expect(titles(data.team.a)).not.toContain("Deep down");
    expect(titles(data.team.b)).toContain("Deep down");
  });

  test("that are private are visible to their members only", async () => {
    const team = (await (
      await tracker.linear.createTeam({ name: "Secret", key: "SEC", private: true })
    ).team)!;
    const issue = (await (
      await tracker.linear.createIssue({ teamId: team.id, title: "Hush" })
    ).issue)!;
    await tracker.linear.createComment({ issueId: issue.id, body: "psst" });
    const robin = tracker.as(ROBIN);

    expect((await refusal(robin.team(team.id))).message).toMatch(/referenced Team/);
    expect((await refusal(robin.issue(issue.identifier))).message).toMatch(/referenced Issue/);
    const titles = (await robin.issues({ first: 200 })).nodes.map(({ title }) => title);
    expect(titles).not.toContain("Hush");
    expect((await robin.comments({ filter: { body: { eq: "psst" } } })).nodes).toEqual([]);
    expect((await refusal(robin.createIssue({ teamId: team.id, title: "x" }))).message).toMatch(
      /validateAccess: teamId/,
    );

    const payload = await tracker.linear.createTeamMembership({ teamId: team.id, userId: ROBIN });
    expect((await robin.issue(issue.identifier)).title).toBe("Hush");
    const membership = (await payload.teamMembership)!;
    await tracker.linear.deleteTeamMembership(membership.id);
    expect(await refusal(robin.team(team.id))).toBeInstanceOf(InvalidInputLinearError);
  });

  test("have each member once, who can be an owner", async () => {
    const { nodes } = await (await tracker.linear.team(ENG)).memberships();
    const robins = await Promise.all(
      nodes.map(async (one) => ((await one.user)?.id === ROBIN ? one : undefined)),
    );
    const membership = robins.find((one) => one !== undefined)!;
    await membership.update({ owner: true });

    expect((await tracker.linear.teamMembership(membership.id)).owner).toBe(true);
    const again = tracker.linear.createTeamMembership({ teamId: ENG, userId: ROBIN });
    expect((await refusal(again)).message).toMatch(/already exists/);
    expect((await (await tracker.linear.team(ENG)).members()).nodes.map(({ id }) => id)).toContain(
      ROBIN,
    );
  });

  test("that are deleted hide their issues until they are restored", async () => {
    const team = (await (await tracker.linear.createTeam({ name: "Temporary", key: "TMP" })).team)!;
    const issue = (await (
      await tracker.linear.createIssue({ teamId: team.id, title: "In it" })
    ).issue)!;
    await tracker.linear.deleteTeam(team.id);
    const titles = async () =>
      (await tracker.linear.issues({ first: 200 })).nodes.map(({ title }) => title);

    expect((await tracker.linear.teams()).nodes.map(({ key }) => key)).not.toContain("TMP");
    expect(await titles()).not.toContain("In it");
    const archived = await tracker.data("{ archivedTeams { key } }");
    expect(archived.archivedTeams).toEqual([{ key: "TMP" }]);
    await tracker.linear.unarchiveTeam(team.id);
    expect(await titles()).toContain("In it");
    expect((await tracker.linear.issue(issue.id)).archivedAt).toBeUndefined();
  });

  test("that are deleted hide their rows, unless archived ones are requested", async () => {
    const { linear } = tracker;
    const create = { name: "Below", key: "BLW", cyclesEnabled: true };
    const team = (await (await linear.createTeam(create)).team)!;
    const teamId = team.id;
    const label = (await (await linear.createIssueLabel({ name: "Below", teamId })).issueLabel)!;
    await linear.createDocument({ title: "Below", teamId });
    await linear.createTemplate({ name: "Below", type: "issue", teamId, templateData: {} });
    await linear.createCustomView({ name: "Below", teamId });
    const PAGES = "workflowStates issueLabels cycles teamMemberships documents customViews".split(
      " ",
    );
    const counts = async (includeArchived: boolean) => {
      const found = await tracker.data(
        `query($all: Boolean!) {
          ${PAGES.map((page) => `${page}(first: 250, includeArchived: $all) { nodes { team { id } } }`).join(" ")}
          viewer { teamMemberships(first: 250, includeArchived: $all) { nodes { team { id } } } }
          templates { team { id } }
        }`,
        { all: includeArchived },
      );
      const lists = [...PAGES.map((page) => found[page].nodes), found.viewer.teamMemberships.nodes];
      return [...lists, found.templates].map(
        (nodes) => nodes.filter((node: any) => node.team?.id === teamId).length,
      );
    };
    const before = await counts(false);
    expect(before.every((count) => count > 0)).toBe(true);

    await linear.deleteTeam(teamId);

    expect(await counts(false)).toEqual(before.map(() => 0));
    expect((await counts(true)).slice(0, -1)).toEqual(before.slice(0, -1));
    expect((await linear.issueLabel(label.id)).name).toBe("Below");
    await linear.unarchiveTeam(teamId);
    expect(await counts(false)).toEqual(before);
  });

  test("put an issue from outside into triage, if it is enabled", async () => {
    const team = (await (
      await tracker.linear.createTeam({ name: "Triaged", key: "TRI", triageEnabled: true })
    ).team)!;
    const make = async (user: string) =>
      (await (
        await tracker.as(user).createIssue({ teamId: team.id, title: "x" })
      ).issue)!;
    const outside = await make(ROBIN);

    expect((await (await make(JOHN)).state)?.type).toBe("backlog");
    expect((await outside.state)?.type).toBe("triage");
    expect(outside.startedTriageAt).toBeInstanceOf(Date);
    const states = await team.states();
    const todo = states.nodes.find(({ type }) => type === "unstarted")!;
    await tracker.linear.updateIssue(outside.id, { stateId: todo.id });
    expect((await tracker.linear.issue(outside.id)).triagedAt).toBeInstanceOf(Date);
  });
});

describe("invitations and keys", () => {
  test("an invitation is stored once for each address", async () => {
    const payload = await tracker.linear.createOrganizationInvite({ email: "New@acme.test" });
    const invite = (await payload.organizationInvite)!;

    expect(invite).toMatchObject({ email: "new@acme.test", role: "user", external: false });
    expect(
      (await refusal(tracker.linear.createOrganizationInvite({ email: "new@acme.test" }))).message,
    ).toMatch(/already been invited/);
    expect(
      (await refusal(tracker.linear.createOrganizationInvite({ email: "robin@acme.test" })))
        .message,
    ).toMatch(/already a member/);
    await tracker.linear.deleteOrganizationInvite(invite.id);
    expect((await tracker.linear.organizationInvites()).nodes).toEqual([]);
  });

  test("a key is listed without its secret", async () => {
    const { apiKeyCreate } = await tracker.data(
      `mutation { apiKeyCreate(input: { label: "CI", key: "secret" }) { apiKey { id label } } }`,
    );
    expect(apiKeyCreate.apiKey.label).toBe("CI");
    const { apiKeys } = await tracker.data("{ apiKeys { nodes { id label } } }");
    expect(apiKeys.nodes).toEqual([apiKeyCreate.apiKey]);
    await tracker.data(`mutation { apiKeyDelete(id: "${apiKeyCreate.apiKey.id}") { success } }`);
  });
});
