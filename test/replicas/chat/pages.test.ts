/** Lists in pages: at most `limit` items each, and together the whole list. */
import { describe, expect, test } from "bun:test";
import { METHODS } from "~/replicas/chat/api/index";
import { GENERAL, HELLO, type Scene, useScenes, WELCOME } from "./scene";

const newScene = useScenes();

const inAnHour = () => String(Math.floor(Date.now() / 1_000) + 3_600);
const three = <T>(work: (n: number) => Promise<T>) => Promise.all([1, 2, 3].map(work));

type List = {
  /** Makes three items or more, and returns the arguments. */
  readonly make: (scene: Scene) => Promise<object>;
  readonly items: string;
};

const LISTS: Readonly<Record<string, List>> = {
  "auth.teams.list": { make: async () => ({}), items: "teams" },
  "chat.scheduledMessages.list": {
    items: "scheduled_messages",
    async make({ agent }) {
      await three((n) =>
        agent.chat.scheduleMessage({ channel: GENERAL, text: `${n}`, post_at: inAnHour() }),
      );
      return {};
    },
  },
  "conversations.history": {
    items: "messages",
    async make({ agent }) {
      await three((n) => agent.chat.postMessage({ channel: GENERAL, text: `${n}` }));
      return { channel: GENERAL };
    },
  },
  "conversations.list": {
    items: "channels",
    async make({ agent }) {
      await three((n) => agent.conversations.create({ name: `new-${n}` }));
      return {};
    },
  },
  "conversations.members": { make: async () => ({ channel: GENERAL }), items: "members" },
  "conversations.requestSharedInvite.list": { make: async () => ({}), items: "invite_requests" },
  "files.remote.list": {
    items: "files",
    async make({ agent }) {
      await three((n) =>
        agent.files.remote.add({
          external_id: `${n}`,
          title: `${n}`,
          external_url: "https://a.test",
        }),
      );
      return {};
    },
  },
  "reactions.list": {
    items: "items",
    async make({ agent }) {
      const posted = await three((n) => agent.chat.postMessage({ channel: GENERAL, text: `${n}` }));
      for (const { ts = "" } of posted)
        await agent.reactions.add({ channel: GENERAL, timestamp: ts, name: "eyes" });
      return {};
    },
  },
  "slackLists.items.list": {
    items: "items",
    async make({ agent }) {
      const { list_id: list = "" } = await agent.slackLists.create({ name: "Tasks" });
      for (let n = 0; n < 3; n++) await agent.slackLists.items.create({ list_id: list } as never);
      return { list_id: list };
    },
  },
  "stars.list": {
    items: "items",
    async make({ agent }) {
      for (const timestamp of [WELCOME, HELLO])
        await agent.stars.add({ channel: GENERAL, timestamp });
      await agent.stars.add({ channel: GENERAL });
      return {};
    },
  },
  "team.accessLogs": { make: async () => ({}), items: "logins" },
  "team.externalTeams.list": { make: async () => ({}), items: "organizations" },
  "users.conversations": {
    items: "channels",
    async make({ agent }) {
      await three((n) => agent.conversations.create({ name: `new-${n}` }));
      return {};
    },
  },
  "users.list": { make: async () => ({}), items: "members" },
};

/** Pages that are no list of items: the root of a thread is on each of its pages, and the rest are objects. */
const OTHERS = ["conversations.replies", "files.info", "team.billableInfo"];

test("every list that takes a limit and a cursor is here", () => {
  const paged = [...METHODS.values()].filter(
    ({ args: { properties } }) => properties["limit"] && properties["cursor"],
  );

  expect(paged.map(({ name }) => name).sort()).toEqual([...Object.keys(LISTS), ...OTHERS].sort());
});

describe.each(Object.entries(LISTS))("%s", (method, { make, items }) => {
  test("gives at most the limit, and in all pages the whole", async () => {
    const scene = await newScene();
    const args = await make(scene);
    const client = method.startsWith("team.") ? scene.john : scene.agent;
    const read = async (page: object): Promise<any> =>
      await client.apiCall(method, { ...args, ...page });
    const whole = (await read({ limit: 100 }))[items];

    for (const limit of [1, 2, whole.length, whole.length + 1].filter((size) => size > 0)) {
      const pages: unknown[][] = [];
      let cursor = "";
      do {
        const page = await read({ limit, cursor });
        pages.push(page[items]);
        cursor = page.response_metadata?.next_cursor ?? "";
      } while (cursor && pages.length < 50);

      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      expect(pages.flat()).toEqual(whole);
    }
  });
});
