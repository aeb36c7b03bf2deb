/** Search in the benchmark template and in new messages. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { WebClient } from "@slack/web-api";
import { useSharedDatabase } from "../../support/database";
import { useProgram } from "../../support/program";
import { AGENT, clientAs, GENERAL, JOHN, LUNCH, ROBIN, useScenes, WELCOME } from "./scene";

const newScene = useScenes();
const database = useSharedDatabase();
const program = useProgram(database);

let company: { agent: WebClient; lena: WebClient };
beforeAll(async () => {
  const { environmentUrl } = await program.environment({
    templateName: "chat_bench_default",
    clock: "real",
  });
  const as = (user: string) => clientAs(`${program.url}${environmentUrl}`, user);
  company = { agent: as(AGENT), lena: as("U18LHOFFMANN") };
});

const find = async (query: string, options: object = {}, as: "agent" | "lena" = "agent") => {
  const { messages }: any = await company[as].search.messages({ query, count: 100, ...options });
  return messages;
};
/** The whole message, of which a match shows only a part. */
const whole = async ({ channel, ts }: any) => {
  const { message }: any = await company.agent.reactions.get({
    channel: channel.id,
    timestamp: ts,
    full: true,
  });
  return message;
};
const texts = async (query: string) => (await find(query)).matches.map(({ text }: any) => text);
const total = async (query: string) => (await find(query)).total;

describe("search.messages", () => {
  test("finds new messages, with every field that a client shows", async () => {
    const { agent } = await newScene();
    const posted = await agent.chat.postMessage({
      channel: GENERAL,
      text: "The zeppelin has landed",
    });

    const { query, messages }: any = await agent.search.messages({ query: "zeppelin" });

    expect(query).toBe("zeppelin");
    expect(messages).toMatchObject({
      total: 1,
      paging: { count: 20, total: 1, page: 1, pages: 1 },
      pagination: { total_count: 1, page: 1, per_page: 20, page_count: 1, first: 1, last: 1 },
    });
    expect(messages.matches[0]).toMatchObject({
      iid: expect.any(String),
      type: "message",
      channel: { id: GENERAL, name: "general", is_private: false, is_im: false },
      user: AGENT,
      username: "agent",
      ts: posted.ts,
      text: "The zeppelin has landed",
      team: "T01ACMECORP",
      permalink: expect.stringContaining(`/archives/${GENERAL}/p`),
      score: expect.any(Number),
    });
  });

  test("matches all words, ignoring case, and by their stems", async () => {
    const found = await texts("CERTIFICATE expired");

    expect(found.length).toBeGreaterThan(1);
    expect(found.every((text: string) => /certificate/i.test(text) && /expire/i.test(text))).toBe(
      true,
    );
    expect(await texts("renewing")).toContainEqual(expect.stringContaining("renewed"));
  });

  test("matches phrases exactly and prefixes, and excludes words with a minus", async () => {
    expect(await texts('"load test"')).not.toContainEqual(expect.stringMatching(/test account/));
    expect(await total("fail*")).toBeGreaterThan(await total("fail"));
    expect(await total("fa*")).toBe(0);
    const launch = await total("launch");
    const withoutDay = await total("launch -rollback");
    expect(launch - withoutDay).toBe(await total("launch rollback"));
    expect(await total('launch -"launch day"')).toBeLessThan(launch);
  });

  test("finds parts of addresses, and words in attachments", async () => {
    expect(await texts("docs.harborline")).toContainEqual(expect.stringContaining("announcement"));
    expect(await texts("circuit open")).toContainEqual(expect.stringContaining("no positions"));
  });

  test.each([
    ["in:#incidents", ({ channel }: any) => channel.id === "C12INCIDENTS"],
    ["in:incidents", ({ channel }: any) => channel.id === "C12INCIDENTS"],
    ["in:<#C12INCIDENTS|incidents>", ({ channel }: any) => channel.id === "C12INCIDENTS"],
    ["in:@maya", ({ channel }: any) => channel.id === "D01AGENTMAYA"],
    [
      "in:#data in:#design",
      ({ channel }: any) => ["C14DATATEAM", "C07DESIGN"].includes(channel.id),
    ],
    ["-in:#incidents certificate", ({ channel }: any) => channel.id !== "C12INCIDENTS"],
    ["from:@maya", ({ user }: any) => user === "U02MAYACHEN"],
    ["from:mcheng", ({ user }: any) => user === "U03MCHENG"],
    ["from:<@U03MCHENG>", ({ user }: any) => user === "U03MCHENG"],
    ['from:"Kris Parker"', ({ user }: any) => user === "U08KPARKER"],
    ["from:me", ({ user }: any) => user === AGENT],
    ["-from:pagerline in:incidents", ({ user }: any) => user !== "U25PAGERBOT"],
    ["to:me", ({ user, channel }: any) => channel.is_im && user !== AGENT],
    ["to:@sam", ({ user, channel }: any) => channel.id === "D02AGENTSAM" && user === AGENT],
    ["is:dm", ({ channel }: any) => channel.is_im],
    ["has:link", ({ text }: any) => /<https?:/.test(text)],
    ["has::elephant:", ({ text }: any) => /We are on 17/.test(text)],
    ["has:file", ({ files }: any) => files.length > 0],
    ["with:@tomas", ({ channel }: any) => ["C04PLATFORM", "C05MOBILE"].includes(channel.id)],
    ["before:2025-07-01", ({ ts }: any) => Number(ts) < Date.UTC(2025, 6, 1) / 1000],
    ["after:2026-03-10", ({ ts }: any) => Number(ts) >= Date.UTC(2026, 2, 10, 23) / 1000],
    [
      "on:2026-02-10",
      ({ ts }: any) => new Date((Number(ts) + 3600) * 1000).toISOString().startsWith("2026-02-10"),
    ],
    ["during:2025", ({ ts }: any) => new Date(Number(ts) * 1000).getUTCFullYear() === 2025],
    [
      "during:2025-08",
      ({ ts }: any) => new Date(Number(ts) * 1000).toISOString().startsWith("2025-08"),
    ],
    ["on:02/10/2026 from:samir", ({ user }: any) => user === "U05SPATEL"],
  ])("%s finds exactly the matching messages", async (query, fits) => {
    const { matches, total: count } = await find(query);

    expect(matches.length).toBe(Math.min(count, 100));
    expect(matches.length).toBeGreaterThan(0);
    expect(matches.filter((match: any) => !fits(match))).toEqual([]);
  });

  test.each<[string, (message: any) => unknown]>([
    ["has:pin", ({ pinned_to: pinned }) => pinned.length === 1],
    ["has:reaction", ({ reactions }) => reactions.length > 0],
    [
      "hasmy::calendar:",
      ({ reactions }) => reactions.some(({ users }: any) => users.includes(AGENT)),
    ],
    ["is:saved", ({ is_starred: saved }) => saved],
    ["is:thread in:product", ({ reply_count: replies, thread_ts: root }) => replies > 0 || root],
    ["-has:reaction in:tidewater", ({ reactions }) => reactions === undefined],
  ])("%s finds messages that have it", async (query, fits) => {
    const { matches } = await find(query, { count: 10 });
    const messages = await Promise.all(matches.map(whole));

    expect(messages.length).toBeGreaterThan(0);
    expect(messages.filter((message) => !fits(message))).toEqual([]);
  });

  test("excludes the day of before: and after:, in the user's zone", async () => {
    const day = await total("in:incidents on:2026-02-10");
    const rest =
      (await total("in:incidents before:2026-02-10")) +
      (await total("in:incidents after:2026-02-10"));
    expect(day).toBeGreaterThan(20);
    expect(day + rest).toBe(await total("in:incidents"));
    expect(await total("before:yesterday")).toBe(await total("before:today"));
    expect(await total("on:today")).toBe(0);
    expect(await total("during:week")).toBe(0);
    expect(await total("before:2026-02-31")).toBe(0);
  });

  test("during: a month's name is the latest one that has begun", async () => {
    const { environmentUrl } = await program.environment({ templateName: "chat_bench_default" }); // on March 11, 2026
    const client = clientAs(`${program.url}${environmentUrl}`, AGENT);
    const count = async (query: string) => {
      const { messages }: any = await client.search.messages({ query });
      return messages.total;
    };
    for (const [name, month] of [
      ["february", "2026-02"],
      ["march", "2026-03"],
      ["aug", "2025-08"],
    ]) {
      expect(await count(`during:${name}`)).toBe(await count(`during:${month}`));
      expect(await count(`during:${name}`)).toBeGreaterThan(0);
    }
  });

  test("finds nothing for unknown users and channels", async () => {
    expect(await total("from:@nobody")).toBe(0);
    expect(await total("in:#nowhere")).toBe(0);
    expect(await total("in:#leadership")).toBe(0);
  });

  test("finds only messages that the caller can read", async () => {
    const mine = await find("objections");
    const lenas = await find("objections", {}, "lena");

    expect(mine.matches.map(({ channel }: any) => channel.id)).not.toContain("C18LEADERSHIP");
    expect(lenas.matches.map(({ channel }: any) => channel.id)).toContain("C18LEADERSHIP");
  });

  test("ranks by score, and by time for equal scores or on request", async () => {
    const { agent } = await newScene();
    const say = async (text: string) =>
      (await agent.chat.postMessage({ channel: GENERAL, text })).ts;
    const passing = await say(
      "Among many other things that have nothing to do with it there is an iguana",
    );
    const close = await say("iguana");
    const closeToo = await say("iguana");
    const order = async (options: object) => {
      const { messages }: any = await agent.search.messages({ query: "iguana", ...options });
      return messages.matches.map(({ ts }: any) => ts);
    };

    expect(await order({})).toEqual([closeToo, close, passing]);
    expect(await order({ sort: "score", sort_dir: "asc" })).toEqual([passing, closeToo, close]);
    expect(await order({ sort: "timestamp" })).toEqual([closeToo, close, passing]);
    expect(await order({ sort: "timestamp", sort_dir: "asc" })).toEqual([passing, close, closeToo]);
  });

  test("comes in pages by number and by cursor, each message once", async () => {
    const all = await find("in:incidents", { sort: "timestamp" });
    const second = await find("in:incidents", { sort: "timestamp", count: 10, page: 2 });
    const byCursor: string[] = [];
    for await (const page of company.agent.paginate("search.messages", {
      query: "in:incidents",
      sort: "timestamp",
      limit: 7,
    }))
      byCursor.push(...(page as any).messages.matches.map(({ ts }: any) => ts));

    expect(second.matches).toEqual(all.matches.slice(10, 20));
    expect(second.paging).toEqual({
      count: 10,
      total: all.total,
      page: 2,
      pages: Math.ceil(all.total / 10),
    });
    expect(second.pagination).toMatchObject({ first: 11, last: 20 });
    expect(byCursor).toEqual(all.matches.map(({ ts }: any) => ts));
  });

  test("marks the hits on request", async () => {
    const { matches } = await find("backfill from:sam*", { highlight: true });
    const plain = await find("backfill");

    expect(matches.every(({ text }: any) => text.includes("\uE000backfill\uE001"))).toBe(true);
    expect(plain.matches.some(({ text }: any) => text.includes("\uE000"))).toBe(false);
  });

  test("finds mentioned users by their display name", async () => {
    const { agent } = await newScene();
    await agent.users.profile.set({ name: "display_name", value: "smithy" });
    await agent.chat.postMessage({ channel: GENERAL, text: `Ask <@${ROBIN}> about the crane` });
    await agent.chat.postMessage({ channel: GENERAL, text: `No, ask <@${AGENT}|smithy>` });
    const found = async (query: string) => {
      const { messages }: any = await agent.search.messages({ query: `${query} ask` });
      return messages.matches.map(({ text }: any) => text);
    };

    expect(await found("@robin")).toEqual([`Ask <@${ROBIN}> about the crane`]);
    expect(await found("@Smithy")).toEqual([`No, ask <@${AGENT}|smithy>`]);
    expect(await found("-@robin")).toEqual([`No, ask <@${AGENT}|smithy>`]);
    expect(await found("@nobody")).toEqual([]);
  });

  test("does not show deleted messages, nor notices", async () => {
    const { agent, john } = await newScene();
    await agent.conversations.setTopic({ channel: GENERAL, topic: "quokka" });
    const { ts = "" } = await john.chat.postMessage({ channel: GENERAL, text: "quokka" });
    const reply = await john.chat.postMessage({ channel: GENERAL, text: "wombat", thread_ts: ts });
    await john.chat.delete({ channel: GENERAL, ts });

    const { messages }: any = await agent.search.messages({ query: "quokka" });
    const replies: any = await agent.search.messages({ query: "wombat" });

    expect(messages).toMatchObject({ total: 0, matches: [] });
    expect(replies.messages.matches).toMatchObject([{ ts: reply.ts }]);
  });
});

describe("search.files", () => {
  test("searches titles, names, texts and canvases", async () => {
    const names = async (query: string) => {
      const { files }: any = await company.agent.search.files({ query });
      expect(files.total).toBe(files.matches.length);
      return files.matches.map(({ id }: any) => id).toSorted();
    };

    expect(await names("failover")).toEqual(["F01RUNBOOK"]);
    expect(await names("cursor is not shared")).toEqual(["F01RUNBOOK"]);
    expect(await names("dedupe-shipments")).toEqual(["F06DEDUPE"]);
    expect(await names("rollback")).toEqual(["F20LAUNCHPLAN"]);
    expect(await names("from:kris")).toEqual(["F03ONBOARD3", "F04ONBOARD4"]);
    expect(await names("from:kris after:2026-02-10")).toEqual(["F04ONBOARD4"]);
    expect(await names("in:#incidents")).toEqual(["F01RUNBOOK", "F02PORTLOG"]);
    expect(await names("onboarding has:pin")).toEqual(["F04ONBOARD4"]);
    expect(await names("is:thread in:#data")).toEqual(["F06DEDUPE"]);
  });

  test("does not find files that are shared in other conversations only", async () => {
    const { agent, robin } = await newScene();
    const { channel } = await robin.conversations.create({ name: "hidden", is_private: true });
    const upload = (channelId: string, filename: string) =>
      robin.files.uploadV2({ channel_id: channelId, filename, content: "narwhal" } as never);
    await upload(channel?.id ?? "", "hidden.txt");
    await upload(GENERAL, "shown.txt");

    const { files }: any = await agent.search.files({ query: "narwhal", highlight: true });

    expect(files.matches).toMatchObject([{ name: "shown.txt", user: ROBIN }]);
  });
});

test("search.files works beside a file with more words than Postgres can index", async () => {
  const { agent } = await newScene();
  const word = (n: number) => String.fromCodePoint(0x20000 + n);
  const pairs = Array.from({ length: 100_000 }, (_, n) => `${word(n % 200)}${word(n % 40_000)}`);
  const content = `dugong ${pairs.map((pair, n) => `${pair}-${n}`).join(" ")}`;
  await agent.files.uploadV2({ filename: "words.txt", content } as never);

  const { files }: any = await agent.search.files({ query: "dugong" });
  expect(files.matches).toMatchObject([{ name: "words.txt" }]);
});

describe("search.all", () => {
  test("finds messages and files", async () => {
    const { messages, files, posts }: any = await company.agent.search.all({ query: "failover" });

    expect(messages.total).toBeGreaterThan(3);
    expect(files.matches).toMatchObject([{ id: "F01RUNBOOK" }]);
    expect(posts).toMatchObject({ total: 0, matches: [] });
  });

  test("finds the messages of the seed", async () => {
    const { agent } = await newScene();
    const { messages }: any = await agent.search.all({ query: `from:@john welcome` });
    const mine: any = await agent.search.all({ query: "lunch from:me" });

    expect(messages.matches).toMatchObject([{ ts: WELCOME, user: JOHN }]);
    expect(mine.messages.matches).toMatchObject([{ ts: LUNCH }]);
  });
});
