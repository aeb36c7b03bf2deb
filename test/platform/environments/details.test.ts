/** One environment in detail, with both kinds of capturing, and the extension of its time. */
import { describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import { eventually, useDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { JOHN, openTracker } from "../../support/tracker";

const kinds = await kindsOfCapturing();
const WEEK = 604_800;

describe.each(kinds)("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);
  const describe = async ({ environmentId }: { environmentId: string }) => {
    const answer = await program.get(`/env/${environmentId}`);
    expectStatus(answer, 200);
    return answer.body;
  };
  const newest = async () => (await program.get("/environments?limit=1")).body.environments[0];
  const post = (text: string) => ({ channel: "C01GENERAL", text });

  test("an environment shows its user, its age, its run, its calls and its changed rows", async () => {
    const environment = await program.environment({ ttlSeconds: 600 });
    const { token, clock, ...listed } = environment;

    const fresh = await describe(environment);

    expect(fresh).toMatchObject({
      ...listed,
      status: "active",
      impersonateUserId: "U01AGENTONE",
      allowImpersonation: false,
      ...{ parentEnvironmentId: null, atCall: null },
      run: null,
      calls: 0,
      changedRows: 0,
    });
    expect(await newest()).toMatchObject({
      ...listed,
      impersonateUserId: "U01AGENTONE",
      run: null,
    });
    expect(fresh.clock.mode).toBe("real");
    expect(Date.parse(fresh.clock.now)).toBeWithin(
      Date.parse(clock.now),
      Date.parse(clock.now) + 60_000,
    );
    expect(fresh.ageSeconds + fresh.secondsLeft).toBeCloseTo(600, 1);
    expect(JSON.stringify(fresh)).not.toContain(token);

    const run = await program.post("/startRun", { envId: environment.environmentId });
    const { ts } = await program.chat(environment, "chat.postMessage", post("one"));
    await program.chat(environment, "chat.postMessage", post("two"));
    await program.chat(environment, "chat.delete", { channel: "C01GENERAL", ts });

    const worked = await eventually(async () => {
      const detail = await describe(environment);
      expect(detail.calls).toBe(3);
      return detail;
    });
    const { diff } = (await program.post("/diffRun", { runId: run.body.runId })).body;

    expect(worked.run).toMatchObject({ runId: run.body.runId, status: "running", gradable: null });
    expect(worked.changedRows).toBe(
      diff.inserts.length + diff.updates.length + diff.deletes.length,
    );
    const ended = await describe(environment);
    expect(ended.run).toMatchObject({ status: "completed", gradable: true });
    expect(await newest()).toMatchObject({ ...listed, run: ended.run });
  });

  test("changed rows are net: an update that is taken back counts nothing", async () => {
    const tracker = await openTracker(program);
    const table = (name: string) => database.sql(`${tracker.schema}.${name}`);
    const changed = async () => (await describe(tracker)).changedRows;

    await database.sql`update ${table("issues")} set title = title || '!' where id = (select id from ${table("issues")} limit 1)`;
    expect(await changed()).toBe(1);
    await database.sql`update ${table("issues")} set title = rtrim(title, '!')`;
    expect(await changed()).toBe(0);
    const { count } = await database.sql`delete from ${table("comments")}`;
    expect(count).toBeGreaterThan(0);
    expect(await changed()).toBe(count);
  });

  test("an environment that has ended is shown as deleted", async () => {
    const environment = await program.environment();
    await program.chat(environment, "chat.postMessage", post("one"));
    await program.call("DELETE", `/env/${environment.environmentId}`);

    const ended = await describe(environment);
    await Bun.sleep(20);

    expect(ended).toMatchObject({ status: "deleted", secondsLeft: 0, changedRows: null });
    expect((await describe(environment)).ageSeconds).toBe(ended.ageSeconds);
  });
});

describe("the time of an environment", () => {
  const database = useDatabase();
  const program = useProgram(database);
  const extend = async (environmentId: string, ttlSeconds: number) =>
    await program.call("PATCH", `/env/${environmentId}`, { ttlSeconds });

  test("is extended: calls are answered after the old end", async () => {
    const environment = await program.environment({ ttlSeconds: 2 });
    await program.chat(environment, "auth.test");

    const answer = await extend(environment.environmentId, 60);

    expectStatus(answer, 200);
    expect(answer.body.secondsLeft).toBeCloseTo(60, 0);
    const before = Date.parse(environment.expiresAt);
    expect(Date.parse(answer.body.expiresAt)).toBeGreaterThan(before + 50_000);
    while (Date.now() <= before + 1_500) await Bun.sleep(50);
    expect(await program.chat(environment, "auth.test")).toMatchObject({ ok: true });
  });

  test("is never shortened", async () => {
    const environment = await program.environment({ ttlSeconds: 600 });

    const answer = await extend(environment.environmentId, 1);

    expectStatus(answer, 200);
    expect(answer.body.expiresAt).toBe(environment.expiresAt);
  });

  test("is seven days altogether at most", async () => {
    const { environmentId } = await program.environment();
    expectStatus(await extend(environmentId, WEEK - 60), 200);
    await database.sql`
      update diorama.environments set created_at = created_at - interval '6 days' where environment_id = ${environmentId}
    `;

    expectRefusal(
      await extend(environmentId, 86_500),
      400,
      "invalid_request",
      expect.stringMatching(
        /^ttlSeconds: an environment lives at most 604800 seconds altogether, this one 863\d\d more$/,
      ) as any,
    );
    expectStatus(await extend(environmentId, 86_000), 200);
    expectRefusal(await extend(environmentId, WEEK + 1), 400, "invalid_request");
  });

  test("of an ended environment is not extended", async () => {
    const { environmentId } = await program.environment();
    await program.call("DELETE", `/env/${environmentId}`);
    expectRefusal(await extend(environmentId, 60), 404, "environment_not_found");
  });

  test("a fork names its parent", async () => {
    const tracker = await program.environment({
      templateService: "tracker",
      templateName: "tracker_base",
      impersonateUserId: JOHN,
      allowImpersonation: true,
    });
    const forks = await program.post(`/env/${tracker.environmentId}/fork`, {});
    const [{ environmentId }] = forks.body.environments;
    expect((await program.get(`/env/${environmentId}`)).body).toMatchObject({
      parentEnvironmentId: tracker.environmentId,
      impersonateUserId: JOHN,
      atCall: 0,
      changedRows: 0,
    });
  });

  test("a fork and a snapshot know after which call they were made", async () => {
    const environment = await program.environment();
    const path = `/env/${environment.environmentId}`;
    const say = (text: string) =>
      program.chat(environment, "chat.postMessage", { channel: "C01GENERAL", text });
    const fork = async (fields: object) =>
      (await program.post(`${path}/fork`, fields)).body.environments[0];
    await say("in no run");
    await program.post("/startRun", { envId: environment.environmentId });
    await say("one");
    const { snapshotId, atCall } = (await program.post(`${path}/snapshots`, {})).body;
    await say("two");
    await say("three");

    expect([atCall, (await fork({})).atCall, (await fork({ snapshotId })).atCall]).toEqual([
      1, 3, 1,
    ]);
    const { snapshots } = (await program.get(`${path}/snapshots`)).body;
    expect(snapshots).toMatchObject([{ snapshotId, atCall: 1 }]);
    const child = await fork({ snapshotId });
    expect((await program.get(`/env/${child.environmentId}`)).body.atCall).toBe(1);
  });
});
