/** Reactions and pins. */
import { describe, expect, test } from "bun:test";
import {
  AGENT,
  GENERAL,
  HELLO,
  JOHN,
  LUNCH,
  RANDOM,
  ROBIN,
  refused,
  useScenes,
  WELCOME,
} from "./scene";

const newScene = useScenes();
const AT = { channel: GENERAL, timestamp: WELCOME };

describe("reactions", () => {
  test("are listed in the order of their first use, with their users", async () => {
    const { agent, robin } = await newScene();
    await agent.reactions.add({ ...AT, name: "tada" });
    await robin.reactions.add({ ...AT, name: "tada" });
    await agent.reactions.add({ ...AT, name: "thumbsup::skin-tone-3" });
    await agent.reactions.add({ ...AT, name: "wave" });

    const { message }: any = await agent.reactions.get({ ...AT, full: true });

    expect(message.reactions).toEqual([
      { name: "wave", users: [ROBIN, AGENT], count: 2 },
      { name: "tada", users: [AGENT, ROBIN], count: 2 },
      { name: "thumbsup::skin-tone-3", users: [AGENT], count: 1 },
    ]);
  });

  test("can be custom emoji", async () => {
    const { agent, sql, schema } = await newScene();
    await sql.unsafe(`insert into "${schema}".emoji values ('acme', 'https://acme.test/acme.png')`);

    await agent.reactions.add({ ...AT, name: "acme" });

    const { message }: any = await agent.reactions.get(AT);
    expect(message.reactions.at(-1)).toMatchObject({ name: "acme" });
  });

  test("are removed by those who added them", async () => {
    const { agent, robin } = await newScene();
    await agent.reactions.add({ ...AT, name: "tada" });

    const others = await refused(robin.reactions.remove({ ...AT, name: "tada" }));
    await agent.reactions.remove({ ...AT, name: "tada" });

    expect(others.error).toBe("no_reaction");
    const { message }: any = await agent.reactions.get(AT);
    expect(message.reactions.map(({ name }: any) => name)).toEqual(["wave"]);
  });

  test("are added once by concurrent calls", async () => {
    const { agent } = await newScene();

    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => agent.reactions.add({ ...AT, name: "tada" })),
    );

    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("are listed by user, newest message first, by page or by cursor", async () => {
    const { agent, robin } = await newScene();
    await agent.reactions.add({ ...AT, name: "tada" });
    await agent.reactions.add({ channel: RANDOM, timestamp: LUNCH, name: "pizza" });
    const { channel } = await robin.chat.postMessage({ channel: JOHN, text: "ours" });
    const { messages } = await robin.conversations.history({ channel: channel! });
    await robin.reactions.add({ channel: channel!, timestamp: messages![0]!.ts!, name: "tada" });

    const mine: any = await agent.reactions.list({ full: true });
    const page: any = await agent.reactions.list({ count: 1, page: 2 });
    const first: any = await agent.reactions.list({ limit: 2 });
    const rest: any = await agent.reactions.list({
      limit: 2,
      cursor: first.response_metadata.next_cursor,
    });
    const theirs: any = await agent.reactions.list({ user: ROBIN });

    const stamps = ({ items }: any) => items.map(({ message }: any) => message.ts);
    expect(stamps(mine)).toEqual([LUNCH, HELLO, WELCOME]);
    expect(mine.items[0]).toMatchObject({ type: "message", channel: RANDOM });
    expect(mine.paging).toEqual({ count: 100, total: 3, page: 1, pages: 1 });
    expect(stamps(page)).toEqual([HELLO]);
    expect([...stamps(first), ...stamps(rest)]).toEqual([LUNCH, HELLO, WELCOME]);
    expect(rest.response_metadata.next_cursor).toBe("");
    expect(stamps(theirs)).toEqual([WELCOME]);
  });
});

describe("pins", () => {
  test("are listed newest first, with the message and its address", async () => {
    const { agent, robin } = await newScene();
    await agent.pins.add(AT);
    await robin.pins.add({ channel: GENERAL, timestamp: HELLO });

    const { items }: any = await agent.pins.list({ channel: GENERAL });

    expect(items).toMatchObject([
      { type: "message", channel: GENERAL, created_by: ROBIN, message: { ts: HELLO } },
      {
        created_by: AGENT,
        created: expect.any(Number),
        message: {
          ts: WELCOME,
          pinned_to: [GENERAL],
          permalink: `https://acme.chat.test/archives/${GENERAL}/p1767603600731938`,
        },
      },
    ]);
  });

  test("can be removed by any member", async () => {
    const { agent, robin } = await newScene();
    await agent.pins.add(AT);

    await robin.pins.remove(AT);

    expect((await agent.pins.list({ channel: GENERAL })).items).toEqual([]);
  });
});
