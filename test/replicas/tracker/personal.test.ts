import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { AGENT, ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
const createIssue = async (input: object = {}) =>
  (await (
    await tracker.linear.createIssue({ teamId: ENG, title: "Something", ...input })
  ).issue)!;

describe("notifications", () => {
  test("are private, and are read, snoozed and archived one by one", async () => {
    const issue = await createIssue({ assigneeId: ROBIN });
    const robin = tracker.as(ROBIN);
    const unread = async () =>
      (await tracker.data("{ notificationsUnreadCount }", {}, ROBIN)).notificationsUnreadCount;
    const before = await unread();
    const found = (await robin.notifications()).nodes.find(
      (one) => (one as any).issueId === issue.id,
    )!;

    expect(found.constructor.name).toBe("IssueNotification");
    expect((await (found as any).issue)?.id).toBe(issue.id);
    expect((await found.actor)?.id).toBe(JOHN);
    expect(await refusal(tracker.linear.notification(found.id) as Promise<unknown>)).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await robin.updateNotification(found.id, { readAt: new Date() });
    expect(await unread()).toBe(before - 1);
    await robin.archiveNotification(found.id);
    expect((await robin.notifications()).nodes.map(({ id }) => id)).not.toContain(found.id);
    await robin.unarchiveNotification(found.id);
    expect((await robin.notifications()).nodes.map(({ id }) => id)).toContain(found.id);
  });

  test("about one subject are changed together", async () => {
    const issue = await createIssue({ assigneeId: ROBIN });
    await tracker.linear.createComment({ issueId: issue.id, body: "Ping" });
    const robin = tracker.as(ROBIN);
    const mine = async () =>
      (await robin.notifications()).nodes.filter((one) => (one as any).issueId === issue.id);
    const readAt = new Date("2026-02-03T04:05:06.000Z");

    expect((await robin.notificationMarkReadAll({ issueId: issue.id }, readAt)).success).toBe(true);
    expect((await mine()).map((one) => one.readAt)).toEqual([readAt, readAt]);
    await robin.notificationMarkUnreadAll({ issueId: issue.id });
    expect((await mine()).map((one) => one.readAt)).toEqual([undefined, undefined]);
    const later = new Date(Date.now() + 3_600_000);
    await robin.notificationSnoozeAll({ issueId: issue.id }, later);
    const { inboxNotifications } = await tracker.data(
      "{ inboxNotifications { nodes { ... on IssueNotification { issueId } } } }",
      {},
      ROBIN,
    );
    expect(inboxNotifications.nodes).not.toContainEqual({ issueId: issue.id });
    await robin.notificationUnsnoozeAll({ issueId: issue.id }, new Date());
    await robin.notificationArchiveAll({ issueId: issue.id });
    expect(await mine()).toEqual([]);
  });

  test.each([
    ["issueAssignedToYou", "assignments"],
    ["issueUnassignedFromYou", "assignments"],
    ["issueMention", "mentions"],
    ["issueCommentMention", "mentions"],
    ["issueEmojiReaction", "reactions"],
    ["issueCommentReaction", "reactions"],
    ["issueNewComment", "commentsAndReplies"],
    ["issueThreadResolved", "commentsAndReplies"],
    ["issueStatusChanged", "statusChanges"],
    ["issuePriorityUrgent", "statusChanges"],
    ["issueBlocking", "statusChanges"],
    ["issueUnblocked", "statusChanges"],
    ["issueReminder", "reminders"],
    ["issueDue", "reminders"],
    ["projectUpdateCreated", "postsAndUpdates"],
    ["documentMoved", "documentChanges"],
    ["issueSubscribed", "subscriptions"],
  ])("of type %s are among %s", async (type, category) => {
    const issue = await createIssue({ assigneeId: ROBIN });
    await database.sql.unsafe(
      `update "${tracker.schema}".notifications set type = '${type}' where "issueId" = '${issue.id}'`,
    );
    const { notifications } = await tracker.data(
      "{ notifications { nodes { type category ... on IssueNotification { issue { id } } } } }",
      {},
      ROBIN,
    );
    const [found] = notifications.nodes.filter((one: any) => one.issue?.id === issue.id);
    expect(found).toMatchObject({ type, category });
  });

  test("have one subscription for each subject", async () => {
    const subscribe = async (input: object) => {
      const { notificationSubscriptionCreate: payload } = await tracker.data(
        `mutation($input: NotificationSubscriptionCreateInput!) {
          notificationSubscriptionCreate(input: $input) { notificationSubscription { id __typename } }
        }`,
        { input },
      );
      return payload.notificationSubscription;
    };
    const first = await subscribe({ teamId: ENG, notificationSubscriptionTypes: ["issueCreated"] });

    expect((await subscribe({ teamId: ENG })).id).toBe(first.id);
    expect(first.__typename).toBe("TeamNotificationSubscription");
    await tracker.linear.updateNotificationSubscription(first.id, { active: false });
    const { nodes } = await tracker.linear.notificationSubscriptions();
    expect(nodes.map(({ active }) => active)).toEqual([false]);
    const none = tracker.linear.createNotificationSubscription({});
    expect((await refusal(none)).message).toMatch(/Exactly one/);
  });
});

describe("favorites", () => {
  test("are one for each entity, in folders", async () => {
    const issue = await createIssue();
    const create = async (input: object) =>
      (await (
        await tracker.linear.createFavorite(input)
      ).favorite)!;
    const folder = await create({ folderName: "Work" });
    const favorite = await create({ issueId: issue.id, parentId: folder.id });

    expect((await create({ issueId: issue.id })).id).toBe(favorite.id);
    expect(favorite).toMatchObject({ type: "issue", url: issue.url });
    expect((await favorite.parent)?.id).toBe(folder.id);
    expect((await (await tracker.linear.issue(issue.id)).favorite)?.id).toBe(favorite.id);
    expect((await tracker.as(ROBIN).favorites()).nodes).toEqual([]);
    await tracker.linear.deleteFavorite(favorite.id);
    expect((await tracker.linear.deleteFavorite(favorite.id)).success).toBe(true);
    expect((await refusal(create({ issueId: issue.id, teamId: ENG }))).message).toMatch(
      /Exactly one/,
    );
  });

  test("are in folders only, which are not one another's duplicates, and not in themselves", async () => {
    const create = async (input: object) =>
      (await (
        await tracker.linear.createFavorite(input)
      ).favorite)!;
    const [one, two] = [
      await create({ folderName: "Twice" }),
      await create({ folderName: "Twice" }),
    ];
    const team = await create({ teamId: ENG });
    const person = await create({ userId: ROBIN });

    expect(one.id).not.toBe(two.id);
    expect(one).toMatchObject({ type: "folder", folderName: "Twice" });
    expect(two.sortOrder).toBeGreaterThan(one.sortOrder);
    expect((await create({ teamId: ENG, sortOrder: 0 })).sortOrder).toBe(team.sortOrder);
    expect(team.type).toBe("team");
    expect(team.url).toMatch(/\/team\/ENG$/);
    expect(person.url).toContain("/profiles/");
    expect(one.url).toBeFalsy();
    const inFavorite = create({ userId: JOHN, parentId: team.id });
    expect((await refusal(inFavorite)).message).toMatch(/must be a folder/);
    const move = (id: string, input: object) => tracker.linear.updateFavorite(id, input);
    expect((await refusal(move(person.id, { parentId: team.id }))).message).toMatch(
      /must be a folder/,
    );
    expect((await refusal(move(one.id, { parentId: one.id }))).message).toMatch(/in itself/);
    await move(person.id, { parentId: one.id, sortOrder: 0 });
    const moved = await tracker.linear.favorite(person.id);
    expect((await moved.parent)?.id).toBe(one.id);
    expect(moved.sortOrder).toBe(0);
    const absent = create({ facetId: crypto.randomUUID(), teamId: ENG });
    expect((await refusal(absent)).message).toMatch(/not accessible: facet - /);
  });

  test.each([
    ["CustomView", { name: "Mine", shared: true, filterData: {} }],
    ["Customer", { name: "Halden" }],
    ["ProjectLabel", { name: "Loud" }],
    ["InitiativeLabel", { name: "Grand" }],
  ])("of a deleted %s are gone", async (type, input) => {
    const stem = type.charAt(0).toLowerCase() + type.slice(1);
    const create = async (entity: string, as: string, given: object) =>
      (
        await tracker.data(
          `mutation($input: ${entity}CreateInput!) { made: ${entity.charAt(0).toLowerCase() + entity.slice(1)}Create(input: $input) { ${as} { id } } }`,
          { input: given },
        )
      ).made[as].id as string;
    const [kept, gone] = [
      await create(type, stem, input),
      await create(type, stem, { ...input, name: "Gone" }),
    ];
    const favorite = (id: string) => create("Favorite", "favorite", { [`${stem}Id`]: id });
    const [first, second] = [await favorite(kept), await favorite(gone)];

    await tracker.data(`mutation($id: String!) { ${stem}Delete(id: $id) { success } }`, {
      id: gone,
    });

    const ids = (await tracker.linear.favorites({ first: 100 })).nodes.map(({ id }) => id);
    expect([ids.includes(first), ids.includes(second)]).toEqual([true, false]);
  });

  test("of a predefined view are one for each view and team, whatever else is named", async () => {
    const create = async (input: object) =>
      (
        await tracker.data(
          `mutation($input: FavoriteCreateInput!) { favoriteCreate(input: $input) {
            favorite { id type title predefinedViewType predefinedViewTeam { id } issue { id } }
          } }`,
          { input },
        )
      ).favoriteCreate.favorite;
    const issue = await createIssue();
    const everywhere = await create({ predefinedViewType: "myIssues", issueId: issue.id });
    const ofTeam = await create({ predefinedViewType: "triage", predefinedViewTeamId: ENG });

    expect(everywhere).toMatchObject({
      ...{ type: "predefinedView", title: "myIssues", predefinedViewType: "myIssues" },
      ...{ predefinedViewTeam: null, issue: null },
    });
    expect(ofTeam).toMatchObject({ title: "triage", predefinedViewTeam: { id: ENG } });
    const again = { predefinedViewType: "triage", predefinedViewTeamId: ENG };
    expect((await create(again)).id).toBe(ofTeam.id);
    const other = await create({ ...again, predefinedViewType: "backlog" });
    expect([other.id === ofTeam.id, other.predefinedViewType]).toEqual([false, "backlog"]);
    const ofIssue = await create({ issueId: issue.id, predefinedViewTeamId: ENG });
    expect(ofIssue).toMatchObject({ issue: { id: issue.id }, predefinedViewTeam: null });
  });
});

describe("settings and emoji", () => {
  test("settings are stored from the first change on", async () => {
    const before = await tracker.linear.userSettings;
    await tracker.linear.updateUserSettings(before.id, {
      subscribedToChangelog: false,
      notificationChannelPreferences: { slack: true },
    });
    const { userSettings } = await tracker.data(
      "{ userSettings { id subscribedToChangelog notificationChannelPreferences { email slack } notificationCategoryPreferences { mentions { slack desktop } } } }",
    );

    expect(before.subscribedToChangelog).toBe(true);
    expect(userSettings).toEqual({
      id: before.id,
      subscribedToChangelog: false,
      notificationChannelPreferences: { email: false, slack: true },
      notificationCategoryPreferences: { mentions: { slack: true, desktop: true } },
    });
    const flag = await tracker.linear.updateUserFlag("completedOnboarding" as any, "incr" as any);
    expect(flag).toMatchObject({ flag: "completedOnboarding", value: 1 });
  });

  test("an emoji is found by its name, which is unique", async () => {
    const payload = await tracker.linear.createEmoji({
      name: "Party-Parrot",
      url: "https://e.test/p.gif",
    });
    const emoji = (await payload.emoji)!;

    expect((await tracker.linear.emoji("party-parrot")).id).toBe(emoji.id);
    expect(
      (await refusal(tracker.linear.createEmoji({ name: "party-parrot", url: "https://e.test" })))
        .message,
    ).toMatch(/already an emoji/);
    await tracker.linear.deleteEmoji(emoji.id);
    expect((await tracker.linear.emojis()).nodes).toEqual([]);
  });

  test("the rate limits are reported", async () => {
    const { limits } = await tracker.linear.rateLimitStatus;

    expect(limits.map(({ type }) => type)).toEqual(["requests", "complexity"]);
  });
});

describe("search", () => {
  test("finds words in the title before those in the text, and in comments on request", async () => {
    const inText = await createIssue({ title: "One", description: "the kiwi is ripe" });
    const inTitle = await createIssue({ title: "A kiwi for all" });
    const inComment = await createIssue({ title: "Three" });
    await tracker.linear.createComment({ issueId: inComment.id, body: "like a kiwi" });
    const find = async (term: string, more: object = {}) =>
      (await tracker.linear.searchIssues(term, more)).nodes.map(({ id }) => id);

    expect(await find("kiwi")).toEqual([inTitle.id, inText.id]);
    expect(await find("kiw")).toEqual([inTitle.id, inText.id]);
    expect(await find("kiwi", { includeComments: true })).toEqual([
      inTitle.id,
      inText.id,
      inComment.id,
    ]);
    expect(await find("kiwi -ripe")).toEqual([inTitle.id]);
    expect((await find(inComment.identifier))[0]).toBe(inComment.id);
    expect(await find("nothing like this")).toEqual([]);
    const page = await tracker.linear.searchIssues("kiwi", { first: 1 });
    expect(page.totalCount).toBe(2);
    expect(page.pageInfo.hasNextPage).toBe(true);
    const rest = await tracker.linear.searchIssues("kiwi", {
      first: 1,
      after: page.pageInfo.endCursor!,
    });
    expect(rest.nodes.map(({ id }) => id)).toEqual([inText.id]);
  });

  test("reads long runs of negations in pairs", async () => {
    const issue = await createIssue({ title: "A persimmon" });
    const find = async (term: string) =>
      (await tracker.linear.searchIssues(term)).nodes.map(({ id }) => id);

    expect(await find("-".repeat(60))).toEqual([]);
    expect(await find("- ".repeat(60))).toEqual([]);
    expect(await find(`${"-".repeat(60)}persimmon`)).toEqual([issue.id]);
    expect(await find(`${"-".repeat(61)}persimmon`)).toEqual(await find("-persimmon"));
  });

  test("works beside a text with more words than Postgres can index", async () => {
    const word = (n: number) => String.fromCodePoint(0x20000 + n);
    const pairs = Array.from({ length: 40_000 }, (_, n) => `${word(n % 200)}${word(n)}-${word(n)}`);
    const description = `durian ${pairs.join(" ")}`.slice(0, 249_990);
    const issue = await createIssue({
      title: "Many words",
      description: description.toWellFormed(),
    });

    const { nodes } = await tracker.linear.searchIssues("durian");
    expect(nodes.map(({ id }) => id)).toEqual([issue.id]);
  });

  test.each(["'", "\\", "a & b", "!", ":*", "(", "a <-> b", "%", '"open', "  "])(
    "takes %j for words",
    async (term) => {
      expect((await tracker.linear.searchIssues(term)).nodes).toBeInstanceOf(Array);
    },
  );

  test("covers all kinds of entities, and has its old form", async () => {
    const issue = await createIssue({ title: "Papaya" });
    const { semanticSearch } = await tracker.data(
      `{ semanticSearch(query: "papaya") { results { id type issue { identifier } } } }`,
    );
    expect(semanticSearch.results).toEqual([
      { id: issue.id, type: "issue", issue: { identifier: issue.identifier } },
    ]);
    const found = await tracker.linear.issueSearch({
      query: "papaya",
      filter: { assignee: { null: true } },
    });
    expect(found.nodes.map(({ id }) => id)).toEqual([issue.id]);
    expect((await tracker.linear.searchProjects("x")).nodes).toEqual([]);
    expect((await tracker.linear.issueFilterSuggestion("mine")).filter).toEqual({});
  });
});

test("each change increments the environment's sync id", async () => {
  const first = await tracker.linear.updateIssue("ENG-1", { priority: 3 });
  const second = await tracker.as(AGENT).updateIssue("ENG-1", { priority: 4 });

  expect(second.lastSyncId).toBe(first.lastSyncId + 1);
});
