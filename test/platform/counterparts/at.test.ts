/** Rules that act at a time, and rules that follow others. */
import { describe, expect, test } from "bun:test";
import { kindsOfCapturing } from "../../support/clusters";
import { eventually, useDatabase, useSharedDatabase } from "../../support/database";
import { expectRefusal, expectStatus, useProgram } from "../../support/program";
import { at, CHANNEL, clock, JOHN, on, ROBIN, says, then } from "./people";

const ASKED = {
  diff_type: "added",
  entity: "messages",
  where: { text: { i_contains: "approve?" } },
};
/** John answers in the thread; Robin, a minute later, there too. */
const APPROVES = {
  ...{ name: "john-approves", as: JOHN, when: ASKED, times: 2, ...then("robin-agrees") },
  say: { text: "Go ahead.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};
const AGREES = {
  ...{ name: "robin-agrees", as: ROBIN, after: "PT1M" },
  say: { text: "I agree.", thread_ts: { $trigger: ["thread_ts", "ts"] } },
};

describe.each(await kindsOfCapturing())("with $name", ({ cluster, settings }) => {
  const database = useDatabase({ cluster });
  const program = useProgram(database, settings);

  test("people act at their times, without a change of the agent; the diff has it as theirs", async () => {
    const { open, move, show, said } = on(program);
    const environment = await open([
      says("later", { at: "PT1H" }),
      says("soon", { at: "PT5M" }, ROBIN),
    ]);
    const { body: run } = await program.post("/startRun", { envId: environment.environmentId });
    expect((await show(environment)).pending).toEqual([
      { name: "soon", due: at(300) },
      { name: "later", due: at(3_600) },
    ]);
    const { effects } = await move(environment, { advance: "PT10M" });
    expect(effects).toEqual([{ at: at(300), kind: "counterpart_acted", id: "soon" }]);
    const { effects: next, now } = await move(environment, { to: "next" });
    expect(next).toEqual([{ at: at(3_600), kind: "counterpart_acted", id: "later" }]);
    expect(now).toBe(at(3_600));
    expect(await said(environment)).toEqual([
      ["soon", expect.stringMatching(/^1773230700\./)],
      ["later", expect.stringMatching(/^1773234000\./)],
    ]);
    const { counterparts, pending } = await show(environment);
    expect(counterparts.map(({ fired }: { fired: number }) => fired)).toEqual([1, 1]);
    expect(pending).toEqual([]);
    const { body } = await program.post("/diffRun", {
      ...{ runId: run.runId, include: ["counterpart"] },
    });
    const rows = body.diff.inserts.filter((row: any) => row.__table__ === "messages");
    expect(rows.map((row: any) => [row.text, row.__actor__])).toEqual([
      ["soon", "counterpart"],
      ["later", "counterpart"],
    ]);
  });

  test("a rule follows the action of another one, immediately or some time later, with its row", async () => {
    const { open, move, post, repliesTo, show } = on(program);
    const environment = await open([
      APPROVES,
      { ...AGREES, ...then("john-thanks") },
      { ...AGREES, name: "john-thanks", as: JOHN, after: undefined, say: said("Thanks.") },
    ]);
    const first = await post(environment, "approve?");
    expect(await repliesTo(environment, first)).toEqual(["Go ahead."]);
    expect((await show(environment)).pending).toEqual([{ name: "robin-agrees", due: at(60) }]);
    await move(environment, { advance: "PT30S" });
    const second = await post(environment, "approve?");
    const third = await post(environment, "approve?");
    const { effects } = await move(environment, { advance: "PT1H" });
    const effect = (seconds: number, id: string) => ({
      ...{ at: at(seconds), kind: "counterpart_acted", id },
    });
    expect(effects).toEqual([
      effect(60, "robin-agrees"),
      effect(60, "john-thanks"),
      effect(90, "robin-agrees"),
      effect(90, "john-thanks"),
    ]);
    for (const ts of [first, second])
      expect(await repliesTo(environment, ts)).toEqual(["Go ahead.", "I agree.", "Thanks."]);
    expect(await repliesTo(environment, third)).toEqual([]);
    const { counterparts, pending } = await show(environment);
    expect(counterparts.map(({ fired }: { fired: number }) => fired)).toEqual([2, 2, 2]);
    expect(pending).toEqual([]);
  });
});

const said = (text: string) => ({ text, thread_ts: { $trigger: ["thread_ts", "ts"] } });

describe("a rule with a time, or one that follows", () => {
  const database = useSharedDatabase();
  const program = useProgram(database);
  const {
    open,
    move,
    post,
    repliesTo,
    show,
    put,
    reset,
    snapshot,
    fork,
    said: saidIn,
  } = on(program);

  test("acts ahead of a call at that time or later, in the order of the times", async () => {
    const overdue = [
      says("one", { at: "PT1S", ...then("two") }),
      says("two", { after: "PT2S" }),
      says("four", { at: "PT4S" }),
    ];
    const environment = await open(overdue, {
      clock: { now: at(0), mode: "step", stepMs: 60_000 },
      seed: 7,
    });
    const texts = (await saidIn(environment)).map(([text]: string[]) => text);
    expect(texts).toEqual(["one", "two", "four"]);
    expect((await saidIn(environment)).map(([, ts]: string[]) => Number(ts) % 60)).toEqual([
      1, 3, 4,
    ]);
  });

  test("acts in real time, if no call comes", async () => {
    const rules = [says("one", { at: "PT0.2S", ...then("two") }), says("two", { after: "PT0.2S" })];
    for (const fields of [{ clock: "real" }, clock("running")]) {
      const environment = await open(rules, fields);
      await eventually(async () => {
        const { counterparts } = await show(environment);
        expect(counterparts.map(({ fired }: { fired: number }) => fired)).toEqual([1, 1]);
      });
    }
  });

  test("does not act if the agent does what `unless` names, at any time before", async () => {
    const unless = { diff_type: "added", entity: "messages", where: { text: "done" } };
    const environment = await open([
      says("reminds", { at: "PT10M", unless }),
      { ...APPROVES, ...then("robin-asks") },
      says("robin-asks", { after: "PT10M", unless, ...then("never") }, ROBIN),
      says("never", {}),
    ]);
    const ts = await post(environment, "approve?");
    expect((await show(environment)).pending).toHaveLength(2);
    await post(environment, "done");
    const { pending, counterparts } = await show(environment);
    expect(pending).toEqual([]);
    expect(counterparts.map(({ dropped }: { dropped: number }) => dropped)).toEqual([1, 0, 1, 0]);
    expect((await move(environment, { advance: "P1D" })).effects).toEqual([]);
    expect(await repliesTo(environment, ts)).toEqual(["Go ahead."]);
  });

  test("does not follow an action that the service rejects", async () => {
    const environment = await open([
      says("lost", { at: "PT1M", ...then("never"), say: { channel: "C0NOWHERE1", text: "lost" } }),
      says("never", {}),
    ]);
    const { effects } = await move(environment, { advance: "PT1H" });
    expect(effects.map(({ id }: { id: string }) => id)).toEqual(["lost"]);
    const { counterparts } = await show(environment);
    expect(counterparts).toMatchObject([
      { fired: 1, lastError: "channel_not_found" },
      { fired: 0, lastError: null },
    ]);
  });

  test("can use what an earlier action has kept, also in a fork; a reset forgets it", async () => {
    const say = { text: "Any news?", channel: CHANNEL, thread_ts: { $kept: "question" } };
    const environment = await open([
      { ...APPROVES, ...then("asks"), keep: { question: { $trigger: ["thread_ts", "ts"] } } },
      says("asks", { say }, ROBIN),
      says("asks-again", { at: "PT1H", say }, ROBIN),
    ]);
    await snapshot(environment);
    const before = await fork(environment);
    const ts = await post(environment, "approve?");
    const forked = await fork(environment);
    for (const each of [environment, forked]) {
      await move(each, { advance: "PT1H" });
      expect(await repliesTo(each, ts)).toEqual(["Go ahead.", "Any news?", "Any news?"]);
    }
    await reset(environment);
    for (const each of [environment, before]) {
      await move(each, { advance: "PT1H" });
      expect((await saidIn(each)).map(([text]: string[]) => text)).toEqual(["Any news?"]);
    }
  });

  test("keeps nothing of an action that the service rejects, and no more than 16 kB", async () => {
    const keep = { words: { $trigger: "text" } };
    const uses = says("uses", { at: "PT1H", say: { channel: CHANNEL, text: { $kept: "words" } } });
    for (const fields of [
      { say: { channel: "C0NOWHERE1", text: "lost" } },
      { say: { channel: CHANNEL, text: "seen" } },
    ]) {
      const environment = await open([
        says("keeps", { when: ASKED, keep, ...fields }),
        { ...uses, say: undefined, call: { method: "chat.postMessage", arguments: uses.say } },
      ]);
      const isLost = fields.say.text === "lost";
      await post(environment, `approve? ${isLost ? "" : "x".repeat(16 * 1024)}`);
      await move(environment, { advance: "PT1H" });
      const { counterparts } = await show(environment);
      expect(counterparts.map(({ lastError }: { lastError: string }) => lastError)).toEqual([
        isLost ? "channel_not_found" : expect.stringContaining("more than 16384 characters"),
        "no_text",
      ]);
    }
  });

  test("waits in a fork as in its parent; after a reset, and in a fork of a snapshot, from then on", async () => {
    const environment = await open([
      says("hourly", { at: "PT1H", ...then("follows") }),
      says("follows", { after: "PT1H" }),
    ]);
    await move(environment, { advance: "PT30M" });
    const due = async (each: { environmentId: string }) =>
      (await show(each)).pending.map((one: { due: string }) => one.due);
    const { snapshotId } = await snapshot(environment);
    expect(await due(await fork(environment))).toEqual([at(3_600)]);
    expect(await due(await fork(environment, { snapshotId }))).toEqual([at(5_400)]);
    await move(environment, { advance: "PT1H" });
    expect(await due(environment)).toEqual([at(7_200)]);
    await reset(environment, { snapshotId });
    expect(await due(environment)).toEqual([at(5_400)]);
    await reset(environment);
    expect(await due(environment)).toEqual([at(3_600)]);
    await move(environment, { advance: "PT1H" });
    const { counterparts } = await show(environment);
    expect(counterparts[0].fired).toBe(1);
    expectStatus(await put(environment, [says("soon", { at: "PT1M" })]), 200);
    expect(await due(environment)).toEqual([at(3_660)]);
  });

  test.each([
    ["neither", [says("a", {})], "needs when, at or quiet, or another rule that names it in then"],
    ["when and at", [says("a", { when: ASKED, at: "PT1M" })], "more than one of when, at,"],
    [
      "at and a rule before",
      [says("a", { at: "PT1M", ...then("b") }), says("b", { at: "PT1M" })],
      'counterparts[1]: "b" has more than one of',
    ],
    [
      "two rules before",
      [
        says("a", { at: "PT1M", ...then("c") }),
        says("b", { at: "PT1M", ...then("c") }),
        says("c", {}),
      ],
      'counterparts[2]: two rules name "c" in then',
    ],
    [
      "no such rule",
      [says("a", { at: "PT1M", ...then("bee") }), says("be", { at: "PT1M" })],
      'counterparts[0].then: there is no rule "bee"; the nearest is "be"',
    ],
    [
      "a circle",
      [says("a", { ...then("b") }), says("b", { ...then("a") })],
      "then: at most 10 rules",
    ],
    [
      "a long chain",
      Array.from({ length: 11 }, (_, n) =>
        says(`r${n}`, { ...(n === 0 && { at: "PT1M" }), ...(n < 10 && then(`r${n + 1}`)) }),
      ),
      "counterparts[10]: then: at most 10 rules",
    ],
    ["after", [says("a", { at: "PT1M", after: "PT1M" })], "counterparts[0].after"],
    ["times", [says("a", { at: "PT1M", times: 2 })], "counterparts[0].times"],
    ["a time of zero", [says("a", { at: "PT0S" })], "counterparts[0].at: a duration like PT2M"],
    [
      "a value of no row",
      [says("a", { at: "PT1M", say: { channel: { $trigger: "id" }, text: "a" } })],
      "$trigger: no row sets it off",
    ],
    ["no channel", [says("a", { at: "PT1M", say: { text: "a" } })], "counterparts[0].say.channel"],
    [
      "a value that no rule keeps",
      [says("a", { at: "PT1M", say: { channel: CHANNEL, text: "a", thread_ts: { $kept: "b" } } })],
      'counterparts[0]: $kept: no rule keeps "b"',
    ],
    [
      "a value to keep of no row",
      [says("a", { at: "PT1M", keep: { b: { $trigger: "ts" } } })],
      "counterparts[0].keep: $trigger: no row sets it off",
    ],
    ...["", "a".repeat(101)].map((name): [string, object[], string] => [
      `a value to keep with a name of ${name.length} characters`,
      [says("a", { when: ASKED, keep: { [name]: { $trigger: "ts" } } })],
      "counterparts[0].keep",
    ]),
    [
      "unless without a wait",
      [says("a", { at: "PT1M", ...then("b") }), says("b", { unless: ASKED })],
      "counterparts[1].unless: only an action that waits has it",
    ],
    [
      "a column that the row of the first rule does not have",
      [
        { ...APPROVES, ...then("b") },
        { ...AGREES, name: "b", say: { text: "x", thread_ts: { $trigger: "thread" } } },
      ],
      'counterparts[1].say: $trigger: the row has no column "thread"',
    ],
    [
      "too many actions by a chain",
      [
        { ...APPROVES, times: 501, ...then("b") },
        { ...AGREES, name: "b" },
      ],
      "1002 actions together; at most 1000 are possible",
    ],
  ])("is refused with %s", async (_, counterparts, message) => {
    const environment = await program.environment();
    const answer = await put(environment, counterparts);
    expectRefusal(answer, 400, "invalid_request");
    expect(answer.body.detail).toContain(message);
    expect((await show(environment)).counterparts).toEqual([]);
  });

  test("with a first rule that is wrong is refused once, for that", async () => {
    const environment = await program.environment();
    const when = { diff_type: "added", entity: "messagez" };
    const answer = await put(environment, [{ ...APPROVES, when }, AGREES]);
    expect(answer.body.detail.match(/messagez/g)).toHaveLength(1);
  });
});
