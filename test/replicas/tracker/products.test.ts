/** Neighbouring products of the tracker: their input is stored and can be read back. */
import { describe, expect, test } from "bun:test";
import { InvalidInputLinearError, UserLinearError } from "@linear/sdk";
import { useSharedDatabase } from "../../support/database";
import { AGENT, ENG, JOHN, ROBIN, refusal, useTracker } from "../../support/tracker";

const tracker = useTracker(useSharedDatabase());
const newIssue = async (title = "Work") =>
  (await (
    await tracker.linear.createIssue({ teamId: ENG, title })
  ).issue)!;

describe("customers", () => {
  const newCustomer = async (input: object = {}) =>
    (await (
      await tracker.linear.createCustomer({ name: "Halden", ...input })
    ).customer)!;

  test("have a status, and are found by their fields", async () => {
    const customer = await newCustomer({ domains: ["halden.test"], revenue: 100, ownerId: ROBIN });

    expect(customer).toMatchObject({
      name: "Halden",
      domains: ["halden.test"],
      revenue: 100,
      approximateNeedCount: 0,
    });
    expect((await customer.status)?.name).toBe("Active");
    expect((await customer.owner)?.id).toBe(ROBIN);
    const found = await tracker.linear.customers({
      filter: { domains: { some: { eq: "halden.test" } } } as never,
    });
    expect(found.nodes.map(({ id }) => id)).toEqual([customer.id]);
    await customer.update({ size: 12 });
    expect((await tracker.linear.customer(customer.id)).size).toBe(12);
    expect(await refusal(newCustomer({ domains: ["halden.test"] }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await customer.delete();
    expect(await refusal(tracker.linear.customer(customer.id))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("are created or updated by their external ids", async () => {
    const upsert = async (input: object) =>
      (await (
        await tracker.linear.customerUpsert(input)
      ).customer)!;
    const made = await upsert({ externalId: "crm-1", name: "Bright" });
    const again = await upsert({
      externalId: "crm-1",
      name: "Brightwater",
      domains: ["bright.test"],
    });

    expect(again.id).toBe(made.id);
    expect(await tracker.linear.customer(made.id)).toMatchObject({
      name: "Brightwater",
      externalIds: ["crm-1"],
      domains: ["bright.test"],
    });
    expect(await refusal(upsert({ externalId: "crm-2" }))).toBeInstanceOf(InvalidInputLinearError);
    expect(await refusal(upsert({ externalId: "crm-1", tierName: "Gold" }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("keep their needs in a merge", async () => {
    const [one, two] = [
      await newCustomer({ domains: ["one.test"] }),
      await newCustomer({ domains: ["two.test"] }),
    ];
    const issue = await newIssue();
    const payload = await tracker.linear.createCustomerNeed({
      customerId: one.id,
      issueId: issue.identifier,
      body: "Please",
      priority: 1,
    });
    const need = (await payload.need)!;
    expect(need).toMatchObject({ body: "Please", content: "Please", priority: 1 });
    const tree = await tracker.data("query($id: String) { customerNeed(id: $id) { bodyData } }", {
      id: need.id,
    });
    expect(JSON.parse(tree.customerNeed.bodyData).type).toBe("doc");
    expect((await need.originalIssue)?.id).toBe(issue.id);

    for (const { id: customerId } of [one, two]) {
      await tracker.linear.createFavorite({ customerId });
      await tracker.linear.createNotificationSubscription({ customerId });
    }

    await tracker.linear.customerMerge(one.id, two.id);

    for (const list of ["favorites", "notificationSubscriptions"]) {
      const type =
        list === "favorites"
          ? "customer { id }"
          : "... on CustomerNotificationSubscription { customer { id } }";
      const { nodes } = (await tracker.data(`{ ${list} { nodes { id ${type} } } }`))[list];
      const customers = nodes.map(({ customer }: any) => customer?.id);
      expect(customers).toContain(two.id);
      expect(customers).not.toContain(undefined);
      expect(customers).not.toContain(one.id);
    }
    const merged = await tracker.linear.customer(two.id);
    expect(merged.domains.toSorted()).toEqual(["one.test", "two.test"]);
    expect(merged.approximateNeedCount).toBe(1);
    expect((await (await tracker.linear.customerNeed({ id: need.id })).customer)?.id).toBe(two.id);
    expect((await tracker.linear.customerNeed({ hash: need.id.slice(0, 8) })).id).toBe(need.id);
  });

  test("have needs that change together, are archived and deleted", async () => {
    const customer = await newCustomer();
    const issue = await newIssue();
    const need = async () =>
      (await (
        await tracker.linear.createCustomerNeed({ customerId: customer.id, issueId: issue.id })
      ).need)!;
    const [one, two] = [await need(), await need()];

    const changed = await tracker.linear.updateCustomerNeed(one.id, {
      priority: 1,
      applyPriorityToRelatedNeeds: true,
    });
    expect(changed.updatedRelatedNeeds.map(({ id }) => id)).toEqual([two.id]);
    expect((await tracker.linear.customerNeed({ id: two.id })).priority).toBe(1);
    await tracker.linear.archiveCustomerNeed(two.id);
    expect((await (await tracker.linear.issue(issue.id)).needs()).nodes).toHaveLength(1);
    await tracker.linear.unarchiveCustomerNeed(two.id);
    await tracker.linear.deleteCustomerNeed(one.id);
    const left = await tracker.linear.customerNeeds({
      filter: { issue: { id: { eq: issue.id } } } as never,
    });
    expect(left.nodes.map(({ id }) => id)).toEqual([two.id]);
    expect(
      await refusal(tracker.linear.createCustomerNeed({ customerId: customer.id })),
    ).toBeInstanceOf(InvalidInputLinearError);
  });

  test("have needs that attachments show, and can drop their main source", async () => {
    const issue = await newIssue();
    const attachment = (await (
      await tracker.linear.createAttachment({
        issueId: issue.id,
        title: "Mail",
        url: "https://mail.test/1",
      })
    ).attachment)!;

    const payload = await tracker.linear.customerNeedCreateFromAttachment({
      attachmentId: attachment.id,
    });
    const need = (await payload.need)!;
    expect([(await need.issue)?.id, need.url]).toEqual([issue.id, "https://mail.test/1"]);
    await tracker.linear.updateCustomerNeed(need.id, {}, { clearAttachment: true });
    const cleared = await tracker.linear.customerNeed({ id: need.id });
    expect([await cleared.attachment, cleared.url]).toEqual([undefined, undefined]);

    const customer = await newCustomer({ mainSourceId: "crm" });
    await tracker.linear.customerUnsync(customer.id);
    expect((await tracker.linear.customer(customer.id)).mainSourceId).toBeUndefined();
  });

  test("have statuses and tiers; a status in use cannot be deleted", async () => {
    const tier = (await (
      await tracker.linear.createCustomerTier({ name: "Gold", color: "#ffd700" })
    ).tier)!;
    const customer = await newCustomer({ tierId: tier.id });
    const status = (await customer.status)!;

    expect(await refusal(tracker.linear.deleteCustomerStatus(status.id))).toBeInstanceOf(
      UserLinearError,
    );
    await tracker.linear.updateCustomerTier(tier.id, { displayName: "Golden" });
    expect((await tracker.linear.customerTier(tier.id)).displayName).toBe("Golden");
    await tracker.linear.deleteCustomerTier(tier.id);
    expect(await (await tracker.linear.customer(customer.id)).tier).toBeUndefined();
    const other = (await (
      await tracker.linear.createCustomerStatus({ name: "Paused", color: "#999999" })
    ).status)!;
    expect(other.position).toBe(3);
    await tracker.linear.deleteCustomerStatus(other.id);
    expect((await tracker.linear.customerStatuses()).nodes).toHaveLength(3);
  });

  test("suggest a title for an issue", async () => {
    const { title } = await tracker.linear.issueTitleSuggestionFromCustomerRequest(
      "Export is slow. It takes hours.",
    );
    expect(title).toBe("Export is slow");
    const cut = await tracker.linear.issueTitleSuggestionFromCustomerRequest("😀".repeat(500));
    expect(cut.title).toMatch(/^(?:😀)+\ufffd?$/u);
  });
});

describe("releases", () => {
  const newPipeline = async (input: object = {}) =>
    (await (
      await tracker.linear.createReleasePipeline({ name: "App", ...input })
    ).releasePipeline)!;
  const newRelease = async (pipelineId: string, input: object = {}) =>
    (await (
      await tracker.linear.createRelease({ name: "One", pipelineId, ...input })
    ).release)!;

  test("move through the stages of their pipeline", async () => {
    const pipeline = await newPipeline({ type: "scheduled", teamIds: [ENG] });
    const stages = (await pipeline.stages()).nodes;
    const release = await newRelease(pipeline.id, { version: "1.0", targetDate: "2026-05-01" });

    expect((await pipeline.teams()).nodes.map(({ key }) => key)).toEqual(["ENG"]);
    expect((await release.stage)?.type as string).toBe("planned");
    await release.update({
      stageId: stages.find(({ type }) => (type as string) === "started")!.id,
    });
    expect((await tracker.linear.release(release.id)).startedAt).toBeInstanceOf(Date);
    const completed = await tracker.linear.releaseComplete({
      pipelineId: pipeline.id,
      version: "1.0",
    });
    expect(await completed.release).toMatchObject({
      version: "1.0",
      targetDate: "2026-05-01",
      completedAt: expect.any(Date),
    });
    const other = await newPipeline();
    expect(await refusal(newRelease(other.id, { stageId: stages[0]!.id }))).toBeInstanceOf(
      InvalidInputLinearError,
    );
  });

  test("contain each issue once", async () => {
    const release = await newRelease((await newPipeline()).id);
    const issue = await newIssue();
    const put = () =>
      tracker.linear.createIssueToRelease({ issueId: issue.id, releaseId: release.id });

    await put();
    expect((await release.issues()).nodes.map(({ id }) => id)).toEqual([issue.id]);
    expect(await refusal(put())).toBeInstanceOf(InvalidInputLinearError);
    await tracker.linear.issueToReleaseDeleteByIssueAndRelease(issue.id, release.id);
    expect((await release.issues()).nodes).toEqual([]);
  });

  test("are created by the builds that report them, with notes, links and issues", async () => {
    const pipeline = await newPipeline();
    const issue = await newIssue();
    const report = async (input: object) =>
      (await (
        await tracker.linear.releaseSync({
          pipelineId: pipeline.id,
          commitSha: "abc1234def",
          ...input,
        })
      ).release)!;

    const made = await report({
      version: "2.0",
      issueReferences: [{ identifier: issue.identifier, commitSha: "abc1234def" }],
      links: [{ url: "https://ci.test/1" }],
      releaseNotes: { title: "Two", content: "Faster" },
    });
    const again = await report({ version: "2.0", name: "Second" });

    expect([again.id, made.name, again.name]).toEqual([made.id, "2.0", "Second"]);
    expect((await made.issues()).nodes.map(({ id }) => id)).toEqual([issue.id]);
    expect((await made.links()).nodes.map(({ url }) => url)).toEqual(["https://ci.test/1"]);
    const [note] = (await tracker.linear.releaseNotes()).nodes;
    expect(note).toMatchObject({ title: "Two", releaseCount: 1 });
    expect((await note!.documentContent)?.content).toBe("Faster");
    await tracker.linear.updateReleaseNote(note!.id, { content: "Much faster" });
    expect((await (await tracker.linear.releaseNote(note!.id)).documentContent)?.content).toBe(
      "Much faster",
    );
    const found = await tracker.linear.releaseSearch({ term: "second" });
    expect(found.map(({ id }) => id)).toEqual([made.id]);
    await report({ version: "3.0", commitSha: "def1234abc" });
    expect(await tracker.linear.releaseSearch({ first: 1 })).toHaveLength(1);
  });

  test("move to a stage through their pipeline", async () => {
    const pipeline = await newPipeline({ type: "scheduled" });
    const advance = async (input: object) =>
      (await (
        await tracker.linear.releaseUpdateByPipeline({ pipelineId: pipeline.id, ...input })
      ).release)!;
    expect(await refusal(advance({ stage: "started" }))).toBeInstanceOf(UserLinearError);
    const release = await newRelease(pipeline.id, { version: "3.0" });

    const started = await advance({ stage: "In progress", description: "Soon" });
    expect([started.id, started.description]).toEqual([release.id, "Soon"]);
    expect((await started.stage)?.type as string).toBe("started");
    expect(await refusal(advance({ stage: "Nowhere" }))).toBeInstanceOf(InvalidInputLinearError);
    expect((await tracker.linear.release(release.id)).startedAt).toEqual(started.startedAt);
    const reverted = await newIssue();
    const reference = [{ identifier: reverted.identifier, commitSha: "fff0001" }];
    const report = { pipelineId: pipeline.id, commitSha: "fff0001", version: "3.0" };
    await tracker.linear.releaseSync({ ...report, issueReferences: reference });
    expect((await release.issues()).nodes).toHaveLength(1);
    await tracker.linear.releaseSync({ ...report, revertedIssueReferences: reference });
    expect((await release.issues()).nodes).toEqual([]);
  });

  test("go to the archive and the trash; stages in use cannot be deleted", async () => {
    const pipeline = await newPipeline();
    const release = await newRelease(pipeline.id);
    const stage = (await release.stage)!;

    expect(await refusal(tracker.linear.archiveReleaseStage(stage.id))).toBeInstanceOf(
      UserLinearError,
    );
    await tracker.linear.archiveRelease(release.id);
    expect((await pipeline.releases()).nodes).toEqual([]);
    await tracker.linear.unarchiveRelease(release.id);
    await tracker.linear.deleteRelease(release.id);
    expect((await tracker.linear.release(release.id)).trashed).toBe(true);
    await tracker.linear.archiveReleasePipeline(pipeline.id);
    expect((await tracker.linear.releasePipelines()).nodes.map(({ id }) => id)).not.toContain(
      pipeline.id,
    );
    const added = await tracker.linear.createReleaseStage({
      pipelineId: pipeline.id,
      name: "Canary",
      type: "started" as never,
      color: "#ffffff",
      position: 9,
    });
    expect((await added.releaseStage)?.name).toBe("Canary");
  });
});

describe("agents", () => {
  test("work in sessions whose status follows their activities", async () => {
    const issue = await newIssue();
    const payload = await tracker.as(AGENT).agentSessionCreateOnIssue({
      issueId: issue.identifier,
      externalUrls: [{ label: "Log", url: "https://log.test" }],
    });
    const session = (await payload.agentSession)!;
    expect(session).toMatchObject({
      status: "pending",
      externalLinks: [{ label: "Log", url: "https://log.test" }],
    });
    expect([(await session.issue)?.id, (await session.appUser)?.id]).toEqual([issue.id, AGENT]);

    const act = (content: object) =>
      tracker
        .as(AGENT)
        .createAgentActivity({ agentSessionId: session.id, content: content as never });
    await act({ type: "thought", body: "Let me see" });
    for (const type of ["toString", "constructor", "__proto__"])
      expect(
        await refusal(
          tracker.as(AGENT).createAgentActivity({
            agentSessionId: session.id,
            content: { type, body: "x" } as never,
          }),
        ),
      ).toBeInstanceOf(InvalidInputLinearError);
    expect((await tracker.linear.agentSession(session.id)).status as string).toBe("active");
    await act({ type: "action", action: "read", parameter: "README" });
    await act({ type: "response", body: "Done" });

    expect(await tracker.linear.agentSession(session.id)).toMatchObject({
      status: "complete",
      endedAt: expect.any(Date),
    });
    const activities = (await session.activities()).nodes;
    expect(activities.map(({ content }) => content.__typename).toSorted()).toEqual([
      "AgentActivityActionContent",
      "AgentActivityResponseContent",
      "AgentActivityThoughtContent",
    ]);
    expect(await refusal(act({ type: "dance" }))).toBeInstanceOf(InvalidInputLinearError);
    expect(await refusal(act({ type: "thought" }))).toBeInstanceOf(InvalidInputLinearError);
    await tracker.linear.agentSessionUpdateExternalUrl(session.id, {
      addedExternalUrls: [{ label: "PR", url: "https://git.test/1" }],
    });
    expect((await tracker.linear.agentSession(session.id)).externalLinks).toHaveLength(2);
    await tracker.linear.agentSessionUpdateExternalUrl(session.id, {
      removedExternalUrls: ["https://git.test/1"],
    });
    await tracker.linear.updateAgentSession(session.id, {
      plan: { steps: 1 },
      removedExternalUrls: ["https://log.test"],
    });
    expect(await tracker.linear.agentSession(session.id)).toMatchObject({
      externalLinks: [],
      plan: { steps: 1 },
    });
  });

  test("work on comments", async () => {
    const issue = await newIssue();
    const comment = (await (
      await tracker.linear.createComment({ issueId: issue.id, body: "Help" })
    ).comment)!;

    const payload = await tracker.linear.agentSessionCreateOnComment({ commentId: comment.id });

    const session = await payload.agentSession;
    expect([(await session?.comment)?.id, (await session?.issue)?.id]).toEqual([
      comment.id,
      issue.id,
    ]);
  });

  test("have skills", async () => {
    const skill = (await (
      await tracker.linear.createAgentSkill({ body: "# Triage\n\nLabel what is new." })
    ).agentSkill)!;

    expect(skill).toMatchObject({ title: "Triage", shared: false });
    await tracker.linear.updateAgentSkill(skill.id, { title: "Sort" });
    expect((await tracker.linear.agentSkills()).nodes.map(({ title }) => title)).toEqual(["Sort"]);
    await tracker.linear.deleteAgentSkill(skill.id);
    expect((await tracker.linear.agentSkills()).nodes).toEqual([]);
  });

  test("get the repository that an issue names", async () => {
    const issue = await newIssue("The mobile app crashes");
    const candidates = ["acme/web", "acme/mobile"].map((repositoryFullName) => ({
      hostname: "git.test",
      repositoryFullName,
    }));

    const { suggestions } = await tracker.linear.issueRepositorySuggestions(candidates, issue.id);

    expect(suggestions.map(({ repositoryFullName }) => repositoryFullName)).toEqual([
      "acme/mobile",
      "acme/web",
    ]);
  });
});

describe("automation", () => {
  test("stores the states for events of pull requests", async () => {
    const branch = (await (
      await tracker.linear.createGitAutomationTargetBranch({ teamId: ENG, branchPattern: "main" })
    ).targetBranch)!;
    const input = { teamId: ENG, event: "merge" as never, targetBranchId: branch.id };
    const state = (await (
      await tracker.linear.createGitAutomationState(input)
    ).gitAutomationState)!;

    const listed = await (await tracker.linear.team(ENG)).gitAutomationStates();
    expect(listed.nodes.map(({ id, event }) => [id, event as string])).toEqual([
      [state.id, "merge"],
    ]);
    expect(await refusal(tracker.linear.createGitAutomationState(input))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await tracker.linear.updateGitAutomationState(state.id, { event: "review" as never });
    await tracker.linear.updateGitAutomationTargetBranch(branch.id, { branchPattern: "release/*" });
    const { team } = await tracker.data(
      "query($id: String!) { team(id: $id) { gitAutomationStates { nodes { event targetBranch { branchPattern } } } } }",
      { id: ENG },
    );
    expect(team.gitAutomationStates.nodes).toEqual([
      { event: "review", targetBranch: { branchPattern: "release/*" } },
    ]);
    const plain = (await (
      await tracker.linear.createGitAutomationState({ teamId: ENG, event: "start" as never })
    ).gitAutomationState)!;
    await tracker.linear.deleteGitAutomationState(plain.id);
    await tracker.linear.deleteGitAutomationTargetBranch(branch.id);
    expect((await (await tracker.linear.team(ENG)).gitAutomationStates()).nodes).toEqual([]);
  });

  test("stores triage responsibilities and schedules", async () => {
    const schedule = (await (
      await tracker.linear.createTimeSchedule({
        name: "On call",
        entries: [{ userId: ROBIN, startsAt: new Date(0), endsAt: new Date(1000) }],
      })
    ).timeSchedule)!;
    expect(schedule.entries).toMatchObject([{ userId: ROBIN, endsAt: new Date(1000) }]);
    await tracker.linear.timeScheduleUpsertExternal("pd-1", { name: "Pager" });
    await tracker.linear.timeScheduleUpsertExternal("pd-1", { name: "Pagers" });
    expect((await tracker.linear.timeSchedules()).nodes.map(({ name }) => name).toSorted()).toEqual(
      ["On call", "Pagers"],
    );

    const input = {
      teamId: ENG,
      action: "assign",
      manualSelection: { userIds: [JOHN, ROBIN], assignmentIndex: 1 },
    };
    const responsibility = (await (
      await tracker.linear.createTriageResponsibility(input)
    ).triageResponsibility)!;
    expect((await responsibility.currentUser)?.id).toBe(ROBIN);
    expect((await (await tracker.linear.team(ENG)).triageResponsibility)?.id).toBe(
      responsibility.id,
    );
    expect(await refusal(tracker.linear.createTriageResponsibility(input))).toBeInstanceOf(
      InvalidInputLinearError,
    );
    await tracker.linear.deleteTriageResponsibility(responsibility.id);
    expect(await tracker.linear.slaConfigurations(ENG)).toEqual([]);
  });
});
