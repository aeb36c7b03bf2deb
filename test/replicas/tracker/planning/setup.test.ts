/** Views, templates, webhooks, links, uploads and integrations. */
import { describe, expect, test } from "bun:test";
import { FeatureNotAccessibleLinearError, InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../../support/database";
import { DES, ENG, JOHN, ROBIN, refusal, useTracker } from "../../../support/tracker";

const tracker = useTracker(useSharedDatabase());

describe("a custom view", () => {
  const newView = async (input: object) =>
    (await (
      await tracker.linear.createCustomView({ name: "Mine", ...input })
    ).customView)!;
  const shown = async (id: string) => {
    const { customView } = await tracker.data(
      "query($id: String!) { customView(id: $id) { modelName issues { nodes { identifier } } projects { nodes { name } } } }",
      { id },
    );
    return customView;
  };

  test("shows the issues that match its filter", async () => {
    const view = await newView({
      filterData: { labels: { name: { eq: "Bug" } }, createdAt: { lt: "-P1D" } },
      icon: "Bug",
    });

    expect(view).toMatchObject({ modelName: "Issue", shared: false, icon: "Bug" });
    expect(view.filterData).toEqual({ labels: { name: { eq: "Bug" } }, createdAt: { lt: "-P1D" } });
    expect((await shown(view.id)).issues.nodes).toEqual([{ identifier: "ENG-2" }]);

    await view.update({ filterData: { priority: { eq: 3 } } });
    expect((await shown(view.id)).issues.nodes).toEqual([{ identifier: "ENG-3" }]);
  });

  test("of a team shows only that team's issues", async () => {
    const view = await newView({ teamId: DES, filterData: {} });

    expect((await shown(view.id)).issues.nodes).toEqual([{ identifier: "DES-1" }]);
  });

  test("of a team shows the projects of its sub-teams, and their issues on request", async () => {
    const { linear } = tracker;
    const team = (await (await linear.createTeam({ name: "Below", parentId: DES })).team)!;
    const issue = (await (await linear.createIssue({ teamId: team.id, title: "Deep" })).issue)!;
    await linear.createProject({ name: "Deep project", teamIds: [team.id] });
    const of = async (input: object) => {
      const { id } = await newView({ teamId: DES, ...input });
      const { customView } = await tracker.data(
        `query($id: String!) { customView(id: $id) {
          projects { nodes { name } } without: projects(includeSubTeams: false) { nodes { name } }
          issues { nodes { identifier } } with: issues(includeSubTeams: true) { nodes { identifier } }
        } }`,
        { id },
      );
      return customView;
    };

    expect(await of({ projectFilterData: {} })).toMatchObject({
      projects: { nodes: [{ name: "Deep project" }] },
      without: { nodes: [] },
    });
    expect(await of({ filterData: {} })).toMatchObject({
      issues: { nodes: [{ identifier: "DES-1" }] },
      with: { nodes: [{ identifier: issue.identifier }, { identifier: "DES-1" }] },
    });
  });

  test("shows projects when it filters them", async () => {
    await tracker.linear.createProject({ name: "Alpha", teamIds: [ENG] });
    await tracker.linear.createProject({ name: "Beta", teamIds: [ENG] });
    const view = await newView({ projectFilterData: { name: { startsWith: "Al" } } });

    expect(await shown(view.id)).toEqual({
      modelName: "Project",
      issues: { nodes: [] },
      projects: { nodes: [{ name: "Alpha" }] },
    });
  });

  test("is visible to others only when it is shared, and not found after its deletion", async () => {
    const view = await newView({ filterData: {} });

    expect(await refusal(tracker.as(ROBIN).customView(view.id))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await view.update({ shared: true });
    expect((await tracker.as(ROBIN).customView(view.id)).name).toBe("Mine");
    expect((await tracker.linear.customViewHasSubscribers(view.id)).hasSubscribers).toBe(false);
    await view.delete();
    expect(await refusal(tracker.linear.customView(view.id))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });
});

describe("preferences of views", () => {
  const put = async (input: object) =>
    (await (
      await tracker.linear.createViewPreferences(input as never)
    ).viewPreferences)!;
  const shownBy = async (id: string) => {
    const { customView } = await tracker.data(
      "query($id: String!) { customView(id: $id) { viewPreferencesValues { layout issueGrouping } } }",
      { id },
    );
    return customView.viewPreferencesValues;
  };

  test("exist once for each view; a user's own override everyone's", async () => {
    const view = (await (await tracker.linear.createCustomView({ name: "Shown" })).customView)!;
    const target = { viewType: "customView", customViewId: view.id };
    expect(await shownBy(view.id)).toBeNull();

    await put({
      ...target,
      type: "organization",
      preferences: { layout: "board", issueGrouping: "priority" },
    });
    const first = await put({ ...target, type: "user", preferences: { layout: "list" } });
    expect(await shownBy(view.id)).toEqual({ layout: "list", issueGrouping: "priority" });

    const second = await put({ ...target, type: "user", preferences: { layout: "board" } });
    expect(second.id).toBe(first.id);
    expect((await shownBy(view.id)).layout).toBe("board");
    await tracker.linear.updateViewPreferences(first.id, { preferences: { layout: "list" } });
    expect((await shownBy(view.id)).layout).toBe("list");
    await tracker.linear.deleteViewPreferences(first.id);
    expect((await shownBy(view.id)).issueGrouping).toBe("priority");
  });

  test("of a view type are the viewer's", async () => {
    await put({ viewType: "inbox", type: "user", preferences: { layout: "list" } });
    const ask = async (user?: string) =>
      (await tracker.data("{ userViewPreferences(viewType: inbox) { type viewType } }", {}, user))
        .userViewPreferences;

    expect(await ask()).toEqual({ type: "user", viewType: "inbox" });
    expect(await ask(ROBIN)).toBeNull();
    const both = put({
      viewType: "inbox",
      type: "user",
      teamId: ENG,
      projectId: ENG,
      preferences: {},
    });
    expect(await refusal(both)).toBeInstanceOf(InvalidInputLinearError);
  });
});

describe("a template", () => {
  test("is created, read, updated and deleted", async () => {
    const input = { name: "Bug", type: "issue", teamId: "DES", templateData: { title: "Bug: " } };
    const template = (await (await tracker.linear.createTemplate(input as never)).template)!;

    expect(template).toMatchObject({
      name: "Bug",
      type: "issue",
      templateData: { title: "Bug: " },
    });
    expect((await template.team)?.id).toBe(DES);
    await template.update({ name: "Defect" });
    const { templates, templateSearch } = await tracker.data(
      '{ templates { name } templateSearch(filter: { type: { eq: "issue" } }, first: 1) { name lastUpdatedBy { id } } }',
    );
    expect(templates).toEqual([{ name: "Defect" }]);
    expect(templateSearch).toEqual([{ name: "Defect", lastUpdatedBy: { id: JOHN } }]);
    await template.delete();
    expect((await tracker.data("{ templates { id } }")).templates).toEqual([]);
  });

  test("has an object as its data", async () => {
    const input = { name: "Bug", type: "issue", templateData: [] as never };
    expect(await refusal(tracker.linear.createTemplate(input))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });
});

describe("a webhook", () => {
  const newWebhook = async (input: object = {}) =>
    (await (
      await tracker.linear.createWebhook({
        url: "https://hooks.test/a",
        resourceTypes: ["Issue"],
        teamId: "ENG",
        ...input,
      })
    ).webhook)!;

  test("has a secret, which can be rotated", async () => {
    const webhook = await newWebhook({ label: "CI" });

    expect(webhook).toMatchObject({
      label: "CI",
      enabled: true,
      resourceTypes: ["Issue"],
      allPublicTeams: false,
    });
    expect((await webhook.team)?.id).toBe(ENG);
    const { secret } = await tracker.linear.rotateSecretWebhook(webhook.id);
    expect(secret).not.toBe(webhook.secret);
    expect((await tracker.linear.webhook(webhook.id)).secret).toBe(secret);
    await webhook.update({ enabled: false });
    expect((await tracker.linear.webhooks()).nodes.map(({ enabled }) => enabled)).toEqual([false]);
    await webhook.delete();
    expect((await tracker.linear.webhooks()).nodes).toEqual([]);
  });

  test.each([
    ["an invalid URL", { url: "hooks" }],
    ["an HTTP address", { url: "http://hooks.test/a" }],
    ["no resource types", { resourceTypes: [] }],
    ["an unknown resource type", { resourceTypes: ["Issue", "issue"] }],
    ["neither a team nor all teams", { teamId: undefined }],
    ["a team and all teams", { allPublicTeams: true }],
    ["a team that does not exist", { teamId: "NOPE" }],
  ])("is rejected with %s", async (_case, input) => {
    expect(await refusal(newWebhook(input))).toBeInstanceOf(InvalidInputLinearError);
    expect((await tracker.linear.webhooks()).nodes).toEqual([]);
  });

  test("keeps its address and types if a change of them is rejected", async () => {
    const webhook = await newWebhook({ resourceTypes: ["IssueSLA", "ProjectUpdate", "OAuthApp"] });

    for (const input of [{ url: "http://hooks.test/a" }, { resourceTypes: ["Nope"] }])
      expect(await refusal(webhook.update(input))).toBeInstanceOf(InvalidInputLinearError);

    expect(await tracker.linear.webhook(webhook.id)).toMatchObject({
      url: "https://hooks.test/a",
      resourceTypes: ["IssueSLA", "ProjectUpdate", "OAuthApp"],
    });
    await webhook.delete();
  });
});

describe("links", () => {
  test("belong to one entity, and are ordered", async () => {
    const project = (await (
      await tracker.linear.createProject({ name: "Links", teamIds: [ENG] })
    ).project)!;
    const link = async (label: string, input: object = {}) =>
      (await (
        await tracker.linear.createEntityExternalLink({
          label,
          url: "https://a.test",
          projectId: project.id,
          ...input,
        })
      ).entityExternalLink)!;
    const [one, two] = [await link("One"), await link("Two")];

    expect(two.sortOrder).toBeGreaterThan(one.sortOrder);
    await one.update({ label: "First" });
    const listed = await project.externalLinks();
    expect(listed.nodes.map(({ label }) => label).toSorted()).toEqual(["First", "Two"]);
    for (const input of [{ teamId: ENG }, { projectId: undefined }, { url: "no address" }])
      expect(await refusal(link("Three", input))).toBeInstanceOf(InvalidInputLinearError);
    await two.delete();
    expect((await project.externalLinks()).nodes).toHaveLength(1);
  });
});

describe("uploads", () => {
  test("get an address for the file, and one for the upload", async () => {
    const payload = await tracker.linear.fileUpload("image/png", "a b.png", 3);

    expect(payload.uploadFile).toMatchObject({
      contentType: "image/png",
      filename: "a b.png",
      size: 3,
    });
    expect(payload.uploadFile!.headers.map(({ key }) => key)).toContain("Content-Type");
    expect(await refusal(tracker.linear.imageUploadFromUrl("https://a.test/b.png"))).toBeInstanceOf(
      FeatureNotAccessibleLinearError,
    );
    for (const work of [
      () => tracker.linear.fileUpload("image/png", "a.png", 0),
      () => tracker.linear.fileUpload("picture", "a.png", 1),
      () => tracker.linear.importFileUpload("text/csv", " ", 1),
      () => tracker.linear.imageUploadFromUrl("b.png"),
    ])
      expect(await refusal(work())).toBeInstanceOf(InvalidInputLinearError);
  });
});

describe("integrations", () => {
  test("do not exist", async () => {
    expect((await tracker.linear.integrations()).nodes).toEqual([]);
    expect((await tracker.linear.integrationTemplates()).nodes).toEqual([]);
    expect(await tracker.linear.archivedIntegrations).toEqual([]);
    for (const work of [
      () => tracker.linear.integration(ENG),
      () => tracker.linear.integrationHasScopes(ENG, ["read"]),
      () => tracker.linear.integrationsSettings(ENG),
      () => tracker.linear.applicationInfo("app"),
    ])
      expect(await refusal(work())).toBeInstanceOf(InvalidInputLinearError);
  });
});
