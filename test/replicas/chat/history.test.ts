import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, HELLO, JOHN, RANDOM, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

describe("conversations.history", () => {
  test("is newest first, and people read public channels without joining", async () => {
    const { agent, as } = await newScene();
    const expected = [HELLO, WELCOME];

    for (const client of [agent, as("U03ROBINRAY")]) {
      const answer = await client.conversations.history({ channel: GENERAL });
      expect(answer.messages?.map(({ ts }) => ts)).toEqual(expected);
      expect(answer).toMatchObject({ has_more: false, pin_count: 0 });
      expect(answer.response_metadata?.next_cursor).toBe("");
    }
  });

  test.each([1_000, 250, 101, 100, 99])(
    "has pages of %i messages, and no message twice",
    async (limit) => {
      const scene = await newScene();
      const { sql, schema, agent } = scene;
      await sql.unsafe(`
      insert into "${schema}".messages
      select (jsonb_populate_record(m, jsonb_build_object('ts', (1768000000 + n) || '.000100', 'thread_ts', r))).*
      from "${schema}".messages m, generate_series(1, 520) n,
        lateral (select case when n > 260 then '${WELCOME}' end as r) thread
      where m.channel_id = '${GENERAL}' and m.ts = '${HELLO}'
    `);
      for (const [method, args, count] of [
        ["conversations.history", { channel: GENERAL }, 262],
        ["conversations.replies", { channel: GENERAL, ts: WELCOME }, 261],
      ] as const) {
        const pages: string[][] = [];
        for await (const page of agent.paginate(method, { ...args, limit }))
          pages.push((page as any).messages.map(({ ts }: any) => ts));

        expect(new Set(pages.flat()).size).toBe(count);
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
      }
    },
  );

  test("has fewer messages in a page than its limit once they have more than 4 MiB", async () => {
    const { sql, schema, agent } = await newScene();
    const sizes = async (length: number) => {
      await sql.unsafe(`
        delete from "${schema}".messages where channel_id = '${GENERAL}' and ts < '${WELCOME}';
        insert into "${schema}".messages
        select (jsonb_populate_record(m, jsonb_build_object(
          'ts', (1600000000 + n) || '.000100', 'text', repeat('x', ${length})
        ))).*
        from "${schema}".messages m, generate_series(1, 248) n
        where m.channel_id = '${GENERAL}' and m.ts = '${HELLO}'
      `);
      const pages: number[] = [];
      for await (const page of agent.paginate("conversations.history", {
        ...{ channel: GENERAL, limit: 250 },
      }))
        pages.push((page as any).messages.length);
      return pages;
    };

    expect(await sizes(1_000)).toEqual([250]);
    expect(await sizes(40_000)).toEqual([200, 50]);
    expect(await sizes(45_000)).toEqual([100, 100, 50]);
  });

  test("pages through every message once", async () => {
    const { agent } = await newScene();
    for (let n = 0; n < 9; n++) await agent.chat.postMessage({ channel: GENERAL, text: `${n}` });

    const texts: string[] = [];
    const sizes: number[] = [];
    for await (const page of agent.paginate("conversations.history", {
      channel: GENERAL,
      limit: 4,
    })) {
      const { messages } = page as any;
      sizes.push(messages.length);
      texts.push(...messages.map(({ text }: { text: string }) => text));
    }

    expect(sizes).toEqual([4, 4, 3]);
    expect(texts.slice(0, 9)).toEqual(["8", "7", "6", "5", "4", "3", "2", "1", "0"]);
  });

  test.each([
    [{ oldest: WELCOME }, [HELLO]],
    [{ oldest: WELCOME, inclusive: true }, [HELLO, WELCOME]],
    [{ latest: HELLO }, [WELCOME]],
    [{ latest: HELLO, inclusive: true, limit: 1 }, [HELLO]],
    [{ oldest: "1767603600", latest: "1767603601" }, [WELCOME]],
    [{ oldest: WELCOME, latest: HELLO }, []],
  ])("respects %j", async (window, expected) => {
    const { agent } = await newScene();

    const { messages } = await agent.conversations.history({ channel: GENERAL, ...window });

    expect(messages?.map(({ ts }) => ts!)).toEqual(expected);
  });

  test("counts the pins of the channel", async () => {
    const { agent } = await newScene();
    await agent.pins.add({ channel: GENERAL, timestamp: HELLO });

    expect((await agent.conversations.history({ channel: GENERAL })).pin_count).toBe(1);
  });
});

describe("the unread count", () => {
  test("starts at the mark, without one's own messages and replies", async () => {
    const { agent, john } = await newScene();
    await agent.conversations.mark({ channel: GENERAL, ts: HELLO });
    const unread = async () =>
      ((await agent.conversations.info({ channel: GENERAL })).channel as any).unread_count;
    expect(await unread()).toBe(0);

    await john.chat.postMessage({ channel: GENERAL, text: "new" });
    await john.chat.postMessage({ channel: GENERAL, text: "reply", thread_ts: HELLO });
    expect(await unread()).toBe(1);

    await agent.chat.postMessage({ channel: GENERAL, text: "seen" });
    expect(await unread()).toBe(0);

    await agent.conversations.mark({ channel: GENERAL, ts: WELCOME });
    const { channel }: any = await agent.conversations.info({ channel: GENERAL });
    expect(channel).toMatchObject({ last_read: WELCOME, unread_count: 2 });
  });

  test("starts at the mark, also if that is older than one's own messages", async () => {
    const { agent, john } = await newScene();
    await john.chat.postMessage({ channel: GENERAL, text: "question" });
    const { ts = "" } = await agent.chat.postMessage({ channel: GENERAL, text: "answer" });
    const state = async () => {
      const { channel }: any = await agent.conversations.info({ channel: GENERAL });
      return [channel.last_read, channel.unread_count];
    };
    expect(await state()).toEqual([ts, 0]);

    await agent.conversations.mark({ channel: GENERAL, ts: HELLO });
    expect(await state()).toEqual([HELLO, 1]);

    const later = await agent.chat.postMessage({ channel: GENERAL, text: "read again" });
    expect(await state()).toEqual([later.ts, 0]);
  });

  test("starts where a direct message was marked as unread", async () => {
    const { agent } = await newScene();
    const { channel: id = "" } = await agent.chat.postMessage({ channel: JOHN, text: "hello" });

    await agent.conversations.mark({ channel: id, ts: "0000000000.000000" });

    const { channel }: any = await agent.conversations.info({ channel: id });
    expect(channel.last_read).toBe("0000000000.000000");
  });

  test("comes with the last message, also in direct messages", async () => {
    const { agent, john } = await newScene();
    const { channel: id = "", ts } = await john.chat.postMessage({ channel: AGENT, text: "psst" });

    const { channel }: any = await agent.conversations.info({ channel: id });

    expect(channel).toMatchObject({
      id,
      is_im: true,
      user: JOHN,
      is_open: true,
      last_read: "0000000000.000000",
      latest: { ts, text: "psst" },
      unread_count: 1,
      unread_count_display: 1,
    });
  });

  test("displays no messages about joining and leaving", async () => {
    const { agent, robin } = await newScene();
    await agent.conversations.mark({ channel: RANDOM, ts: "1900000000" });
    await agent.conversations.mark({ channel: RANDOM, ts: "1767607800.990316" });
    await robin.conversations.leave({ channel: RANDOM });
    await robin.conversations.join({ channel: RANDOM });

    const { channel }: any = await agent.conversations.info({ channel: RANDOM });

    expect(channel).toMatchObject({ unread_count: 2, unread_count_display: 0 });
  });
});
