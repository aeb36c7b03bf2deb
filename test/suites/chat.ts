/** The suite "Chat benchmark": solutions and plausible mistakes of each test. */
import { WebClient } from "@slack/web-api";
import type { Proofs } from "./prove";
import type { Given, Tools } from "./server";

const AGENT = "U01AGENTONE";
const PLANTS = { channel: "C02RANDOM", ts: "1770994800.490949" };
const REHEARSAL = "1772637600.078028";
const FINDINGS = ["1772637660.479044", "1772637720.991215", "1772637780.801189"] as const;
const [, , OPEN_FINDING] = FINDINGS;

/** The first matching item of a list, on any page. */
async function find<Item>(
  pages: AsyncIterable<object>,
  list: string,
  fits: (item: Item) => boolean,
): Promise<Item> {
  for await (const page of pages) {
    const found = (page as Record<string, Item[]>)[list]?.find(fits);
    if (found) return found;
  }
  throw new Error(`none of the ${list} fits`);
}

export async function channelNamed(chat: WebClient, wanted: string): Promise<string> {
  const types = "public_channel,private_channel";
  const pages = chat.paginate("conversations.list", { types, limit: 10 });
  type Channel = { id: string; name: string };
  return (await find<Channel>(pages, "channels", ({ name }) => name === wanted)).id;
}

async function userNamed(chat: WebClient, wanted: string): Promise<string> {
  const pages = chat.paginate("users.list", { limit: 10 });
  type User = { id: string; real_name: string };
  return (await find<User>(pages, "members", ({ real_name: name }) => name === wanted)).id;
}

/** The message of a conversation, or of one of its threads, that contains this text. */
export async function messageWith(chat: WebClient, channel: string, part: string, thread?: string) {
  const pages = thread
    ? chat.paginate("conversations.replies", { channel, ts: thread, limit: 20 })
    : chat.paginate("conversations.history", { channel, limit: 20 });
  type Message = { ts: string; text: string; user: string };
  return await find<Message>(pages, "messages", ({ text }) => text.includes(part));
}

export const post =
  (channel: string, text: string, more: object = {}) =>
  (chat: WebClient) =>
    chat.chat.postMessage({ channel, text, ...more });
export const react = (channel: string, timestamp: string, name: string) => (chat: WebClient) =>
  chat.reactions.add({ channel, timestamp, name });

const none = (entity: string, nth = 1) => `assertion#${nth} ${entity} expected count 1 but got 0`;
const unexpected = (entity: string, kind = "added") =>
  `closed_world ${entity} has an unexpected ${kind} row`;

const DEMO = "The demo on Friday starts at 14:00 CET.";
const SECOND_FLOOR =
  "The plants on the second floor have been watered. The cactus too, by mistake.";
const BADGE = "Your badge is at the front desk.";
const WEDNESDAY = "I cannot take next Wednesday.";
const SWAP = "Sam and Tom swap the on-call week of the 23rd.";
const CARBON = "VesselDB it is, 900 a month.";
const FIX = "Yes, the fix waits for the end of the freeze.";
const OVER = "The freeze is over.";
const NUMBERS = "96 carriers, 212 bookings, 38 bounced invitations.";
const ROTA = "Rota: Mon Dani, Tue Alex, Wed Alex, Thu Dani, Fri Samir";

async function feedback(chat: WebClient, users: string, topic = "What carriers tell us") {
  const { channel } = await chat.conversations.create({ name: "tidewater-feedback" });
  const id = String(channel?.id);
  await chat.conversations.setTopic({ channel: id, topic });
  await chat.conversations.invite({ channel: id, users });
  return id;
}

async function carbonRoom(chat: WebClient, users: string, isPrivate = true) {
  const { channel } = await chat.conversations.create({
    name: "carbon-data",
    is_private: isPrivate,
  });
  const id = String(channel?.id);
  await chat.conversations.setPurpose({
    channel: id,
    purpose: "Vessel classes for the carbon report",
  });
  await chat.conversations.invite({ channel: id, users });
  return id;
}

export const channelBy = async (tools: Tools, query: string): Promise<string> =>
  /archives\/(\w+)\)/.exec((await tools("slack_search_channels", { query })).results)?.[1] ?? "";

const userBy = async (tools: Tools, query: string): Promise<string> =>
  /User ID: (\w+)/.exec((await tools("slack_search_users", { query })).results)?.[1] ?? "";

/** The timestamp of the message of a channel that contains this text, on any page. */
export async function tsOf(tools: Tools, channel: string, part: string): Promise<string> {
  for (let cursor: string | undefined; cursor !== ""; ) {
    const page: { messages: string; pagination_info: string } = await tools("slack_read_channel", {
      channel_id: channel,
      cursor,
    });
    const found = page.messages.split("\n=== Message ").find((each) => each.includes(part));
    if (found) return /Message TS: (\S+)/.exec(found)?.[1] ?? "";
    cursor = /use cursor: `(.+)`/.exec(page.pagination_info)?.[1] ?? "";
  }
  throw new Error(`no message has ${part}`);
}

export const say = (tools: Tools, channel: string, message: string, more: object = {}) =>
  tools("slack_send_message", { channel_id: channel, message, ...more });

/** The messages of the thread that begins with this text. */
async function threadOf(tools: Tools, channel: string, part: string) {
  const ts = await tsOf(tools, channel, part);
  const { messages } = await tools("slack_read_thread", { channel_id: channel, message_ts: ts });
  return { ts, parts: String(messages).split("\n--- Reply ") };
}

/** The numbered findings of the rehearsal that nobody has acknowledged. */
async function openFindings(tools: Tools, channel: string) {
  const { ts, parts } = await threadOf(tools, channel, "What we found in the rehearsal");
  const open = parts.filter(
    (part) => /\n\d\. /.test(part) && !/^Reactions: .*\back \(/m.test(part),
  );
  return { ts, open };
}

export const clientOf = ({ token, serviceUrl }: Given) =>
  new WebClient(token, { slackApiUrl: `${serviceUrl}/`, retryConfig: { retries: 0 } });

export const proofs: Proofs<WebClient> = {
  "messages: post to a channel": {
    solution: async (chat) => post(await channelNamed(chat, "engineering"), DEMO)(chat),
    viaTools: async (tools) => say(tools, await channelBy(tools, "engineering"), DEMO),
    mistakes: {
      "in another channel": { act: post("C01GENERAL", DEMO), failure: none("messages") },
      "in other words": {
        act: post("C03ENGINEER", "Demo on Friday, 14:00 CET"),
        failure: none("messages"),
      },
      "in two channels": {
        act: async (chat) => {
          await post("C03ENGINEER", DEMO)(chat);
          await post("C01GENERAL", DEMO)(chat);
        },
        failure: unexpected("messages"),
      },
      "and in two other channels": {
        act: async (chat) => {
          await post("C03ENGINEER", DEMO)(chat);
          await post("C02RANDOM", "Demo on Friday!")(chat);
          await post("C01GENERAL", "Demo on Friday!")(chat);
        },
        failure: unexpected("messages"),
        reward: 0,
      },
    },
  },

  "messages: correct your own": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "random");
      const { ts } = await messageWith(chat, channel, "first floor have been watered");
      await chat.chat.update({ channel, ts, text: SECOND_FLOOR });
    },
    viaTools: "no tool edits a message",
    mistakes: {
      "a second message instead": {
        act: post("C02RANDOM", SECOND_FLOOR),
        failure: none("messages"),
      },
      "the cactus is forgotten": {
        act: (chat) =>
          chat.chat.update({
            ...PLANTS,
            text: "The plants on the second floor have been watered.",
          }),
        failure: none("messages"),
      },
    },
  },

  "messages: take back your own": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "random");
      const { ts } = await messageWith(chat, channel, "The plants");
      await chat.chat.delete({ channel, ts });
    },
    viaTools: "no tool deletes a message",
    mistakes: {
      "only made empty": {
        act: (chat) => chat.chat.update({ ...PLANTS, text: "(deleted)" }),
        failure: none("messages"),
      },
      "and apologised": {
        act: async (chat) => {
          await chat.chat.delete(PLANTS);
          await post("C02RANDOM", "Sorry about the plants!")(chat);
        },
        failure: unexpected("messages"),
      },
    },
  },

  "messages: the right Sam": {
    solution: async (chat) => {
      const users = await userNamed(chat, "Sam Rivera");
      const { channel } = await chat.conversations.open({ users });
      await post(String(channel?.id), BADGE)(chat);
    },
    viaTools: async (tools) => say(tools, await userBy(tools, "Sam Rivera"), BADGE),
    mistakes: {
      "Samir Patel": { act: post("U05SPATEL", BADGE), failure: none("messages") },
      "Samantha Ribeiro": { act: post("U06SRIBEIRO", BADGE), failure: unexpected("channels") },
    },
  },

  "messages: for one pair of eyes": {
    solution: async (chat) => {
      const user = await userNamed(chat, "Dani Okoro");
      const channel = await channelNamed(chat, "support");
      await chat.chat.postEphemeral({ channel, user, text: WEDNESDAY });
    },
    viaTools: "no tool posts for one person only",
    mistakes: {
      "for everybody": { act: post("C10SUPPORT", WEDNESDAY), failure: unexpected("messages") },
      "for Daniel": {
        act: (chat) =>
          chat.chat.postEphemeral({ channel: "C12INCIDENTS", user: "U12DOKAFOR", text: WEDNESDAY }),
        failure: none("ephemeral_messages"),
      },
    },
  },

  "messages: find a figure and pass it on": {
    solution: async (chat) => {
      const platform = await channelNamed(chat, "platform");
      const plan = await messageWith(chat, platform, "Saturday's upgrade, the plan");
      const { text } = await messageWith(chat, platform, "Promoted", plan.ts);
      const seconds = /(\d+) seconds/.exec(text)?.[1];
      await post(await channelNamed(chat, "customer-success"), String(seconds))(chat);
    },
    viaTools: async (tools) => {
      const platform = await channelBy(tools, "platform");
      const { parts } = await threadOf(tools, platform, "Saturday's upgrade, the plan");
      const promoted = parts.find((part) => part.includes("Promoted")) ?? "";
      const seconds = /(\d+) seconds/.exec(promoted)?.[1];
      await say(tools, await channelBy(tools, "customer-success"), String(seconds));
    },
    mistakes: {
      "what was announced, a minute": { act: post("C09CUSTSUCC", "60"), failure: none("messages") },
      "with its unit": { act: post("C09CUSTSUCC", "41 seconds"), failure: none("messages") },
      "where it came from": { act: post("C04PLATFORM", "41"), failure: none("messages") },
    },
  },

  "messages: pass on a request": {
    solution: async (chat) => {
      const priya = await userNamed(chat, "Priya Nair");
      const { channels = [] } = await chat.conversations.list({ types: "mpim" });
      for (const { id: channel = "" } of channels) {
        const { members = [] } = await chat.conversations.members({ channel });
        if (members.includes(priya)) return post(channel, SWAP)(chat);
      }
      throw new Error("there is no such group conversation");
    },
    viaTools: async (tools) => {
      const query = `from:<@${await userBy(tools, "Priya Nair")}>`;
      const types = { query, channel_types: "mpim" };
      const { results } = await tools("slack_search_public_and_private", types);
      await say(tools, /^Channel: .*\(ID: (\w+)\)/m.exec(results)?.[1] ?? "", SWAP);
    },
    mistakes: {
      "in a direct message": { act: post("U14PRNAIR", SWAP), failure: none("messages") },
      "in public": { act: post("C12INCIDENTS", SWAP), failure: none("messages") },
    },
  },

  "channels: create, describe and invite": {
    solution: async (chat) =>
      feedback(
        chat,
        [await userNamed(chat, "Maya Chen"), await userNamed(chat, "Alex Morgan")].join(","),
      ),
    viaTools: "no tool sets a topic",
    mistakes: {
      "the other Maya": {
        act: (chat) => feedback(chat, "U03MCHENG,U10AMORGAN"),
        failure: none("channel_members", 2),
      },
      "Alexandra Moran": {
        act: (chat) => feedback(chat, "U02MAYACHEN,U11AMORAN"),
        failure: none("channel_members", 3),
      },
      "no topic": {
        act: (chat) => feedback(chat, "U02MAYACHEN,U10AMORGAN", ""),
        failure: none("channels"),
      },
      "somebody else as well": {
        act: (chat) => feedback(chat, "U02MAYACHEN,U10AMORGAN,U13DOKORO"),
        failure: unexpected("channel_members"),
      },
    },
  },

  "channels: fix the topic": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "support");
      const topic = (await chat.conversations.info({ channel })).channel?.topic?.value ?? "";
      await chat.conversations.setTopic({ channel, topic: topic.replace("Wed agent", "Wed Alex") });
    },
    viaTools: "no tool sets a topic",
    mistakes: {
      "everything but the rota is lost": {
        act: (chat) => chat.conversations.setTopic({ channel: "C10SUPPORT", topic: "Wed Alex" }),
        failure: none("channels"),
      },
      "the purpose instead": {
        act: (chat) => chat.conversations.setPurpose({ channel: "C10SUPPORT", purpose: ROTA }),
        failure: none("channels"),
      },
    },
  },

  "channels: invite the right colleague": {
    solution: async (chat) =>
      chat.conversations.invite({
        channel: await channelNamed(chat, "product"),
        users: await userNamed(chat, "Priyanka Nayar"),
      }),
    viaTools: "no tool invites to an existing channel",
    mistakes: {
      "to #platform": {
        act: (chat) => chat.conversations.invite({ channel: "C04PLATFORM", users: "U15PNAYAR" }),
        failure: none("channel_members"),
      },
      "the other Maya too": {
        act: (chat) =>
          chat.conversations.invite({ channel: "C06PRODUCT", users: "U15PNAYAR,U03MCHENG" }),
        failure: unexpected("channel_members"),
      },
    },
  },

  "channels: leave the private one": {
    solution: async (chat) =>
      chat.conversations.leave({ channel: await channelNamed(chat, "tidewater-launch") }),
    viaTools: "no tool leaves a channel",
    mistakes: {
      "the public one": {
        act: (chat) => chat.conversations.leave({ channel: "C16TIDEWATER" }),
        failure: "assertion#2 channel_members expected count 1 but got 0",
      },
      both: {
        act: async (chat) => {
          await chat.conversations.leave({ channel: "C17TIDELAUNCH" });
          await chat.conversations.leave({ channel: "C16TIDEWATER" });
        },
        failure: "assertion#2 channel_members expected count 1 but got 0",
      },
    },
  },

  "channels: a private room with a first message": {
    solution: async (chat) => {
      const comparison = await messageWith(chat, await channelNamed(chat, "data"), "VesselDB has");
      const finance = await userNamed(chat, "Christine Parks");
      const room = await carbonRoom(chat, `${comparison.user},${finance}`);
      await post(room, CARBON)(chat);
    },
    viaTools: "no tool sets a purpose",
    mistakes: {
      public: {
        act: async (chat) =>
          post(await carbonRoom(chat, "U03MCHENG,U09CPARKS", false), CARBON)(chat),
        failure: none("channels"),
      },
      "Maya Chen and Chris Park": {
        act: async (chat) => post(await carbonRoom(chat, "U02MAYACHEN,U07CHPARK"), CARBON)(chat),
        failure: none("channel_members", 2),
      },
      "the message is in #data": {
        act: async (chat) => {
          await carbonRoom(chat, "U03MCHENG,U09CPARKS");
          await post("C14DATATEAM", CARBON)(chat);
        },
        failure: none("messages", 5),
      },
    },
  },

  "reactions: join the trip": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "general");
      const { ts } = await messageWith(chat, channel, "boat trip");
      await react(channel, ts, "boat")(chat);
    },
    viaTools: async (tools) => {
      const channel = await channelBy(tools, "general");
      const message_ts = await tsOf(tools, channel, "boat trip");
      await tools("slack_add_reaction", { channel_id: channel, message_ts, emoji: "boat" });
    },
    mistakes: {
      "another emoji": {
        act: react("C01GENERAL", "1772442900.730539", "sailboat"),
        failure: none("reactions"),
      },
      "in words": {
        act: post("C01GENERAL", "I join!", { thread_ts: "1772442900.730539" }),
        failure: unexpected("messages"),
      },
    },
  },

  "reactions: take one back": {
    solution: async (chat) => {
      const { items = [] } = await chat.reactions.list({ user: AGENT });
      for (const { channel = "", message } of items)
        if (message?.reactions?.some(({ name }) => name === "calendar"))
          await chat.reactions.remove({ channel, timestamp: message.ts ?? "", name: "calendar" });
    },
    viaTools: "no tool removes a reaction",
    mistakes: {
      "a second one instead": {
        act: react("C16TIDEWATER", "1771318500.064267", "x"),
        failure: unexpected("reactions"),
      },
      "another reaction of yours as well": {
        act: async (chat) => {
          const timestamp = "1771318500.064267";
          await chat.reactions.remove({ channel: "C16TIDEWATER", timestamp, name: "calendar" });
          await chat.reactions.remove({
            channel: "D01AGENTMAYA",
            timestamp: "1771323120.608807",
            name: "+1",
          });
        },
        failure: unexpected("reactions", "removed"),
      },
    },
  },

  "reactions: what is still open": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "tidewater");
      const { ts } = await messageWith(chat, channel, "What we found in the rehearsal");
      const { messages = [] } = await chat.conversations.replies({ channel, ts });
      for (const { ts: timestamp = "", text = "", reactions = [] } of messages)
        if (/^\d\. /.test(text) && !reactions.some(({ name }) => name === "ack"))
          await react(channel, timestamp, "eyes")(chat);
    },
    viaTools: async (tools) => {
      const channel = await channelBy(tools, "tidewater");
      for (const finding of (await openFindings(tools, channel)).open) {
        const message_ts = /Message TS: (\S+)/.exec(finding)?.[1];
        await tools("slack_add_reaction", { channel_id: channel, message_ts, emoji: "eyes" });
      }
    },
    mistakes: {
      "the thread's root": {
        act: react("C16TIDEWATER", REHEARSAL, "eyes"),
        failure: none("reactions"),
      },
      "every finding": {
        act: async (chat) => {
          for (const finding of FINDINGS) await react("C16TIDEWATER", finding, "eyes")(chat);
        },
        failure: unexpected("reactions"),
      },
      acknowledged: {
        act: react("C16TIDEWATER", OPEN_FINDING, "ack"),
        failure: none("reactions"),
      },
    },
  },

  "reactions: replace one": {
    solution: async (chat) => {
      const { channel } = await chat.conversations.open({
        users: await userNamed(chat, "Maya Chen"),
      });
      const id = String(channel?.id);
      const { ts: timestamp } = await messageWith(chat, id, "I fix the wiki");
      await chat.reactions.remove({ channel: id, timestamp, name: "+1" });
      await react(id, timestamp, "heart")(chat);
    },
    viaTools: "no tool removes a reaction",
    mistakes: {
      "one more": {
        act: react("D01AGENTMAYA", "1771323120.608807", "heart"),
        failure: none("reactions"),
      },
      "only taken back": {
        act: (chat) =>
          chat.reactions.remove({
            channel: "D01AGENTMAYA",
            timestamp: "1771323120.608807",
            name: "+1",
          }),
        failure: none("reactions", 2),
      },
    },
  },

  "threads: answer the question": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "support");
      const { ts } = await messageWith(chat, channel, "#4570");
      await post(channel, FIX, { thread_ts: ts })(chat);
    },
    viaTools: async (tools) => {
      const channel = await channelBy(tools, "support");
      await say(tools, channel, FIX, { thread_ts: await tsOf(tools, channel, "#4570") });
    },
    mistakes: {
      "beside the thread": { act: post("C10SUPPORT", FIX), failure: none("messages") },
      "under Samir's message": {
        act: post("C04PLATFORM", FIX, { thread_ts: "1773221400.491235" }),
        failure: none("messages"),
      },
    },
  },

  "threads: answer so that the channel sees it too": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "platform");
      const { ts } = await messageWith(chat, channel, "Freeze:");
      await post(channel, OVER, { thread_ts: ts, reply_broadcast: true })(chat);
    },
    viaTools: async (tools) => {
      const channel = await channelBy(tools, "platform");
      const thread_ts = await tsOf(tools, channel, "Freeze:");
      await say(tools, channel, OVER, { thread_ts, reply_broadcast: true });
    },
    mistakes: {
      "in the thread only": {
        act: post("C04PLATFORM", OVER, { thread_ts: "1773061200.460409" }),
        failure: none("messages"),
      },
      "twice instead": {
        act: async (chat) => {
          await post("C04PLATFORM", OVER, { thread_ts: "1773061200.460409" })(chat);
          await post("C04PLATFORM", OVER)(chat);
        },
        failure: unexpected("messages"),
      },
    },
  },

  "threads: ask who is responsible": {
    solution: async (chat) => {
      const channel = await channelNamed(chat, "tidewater");
      const { ts } = await messageWith(chat, channel, "What we found in the rehearsal");
      const { messages = [] } = await chat.conversations.replies({ channel, ts });
      const open = messages.find(
        ({ text = "", reactions = [] }) =>
          /^\d\. /.test(text) && !reactions.some(({ name }) => name === "ack"),
      );
      const who = /\((\w+)\)/.exec(open?.text ?? "")?.[1];
      const { members = [] } = await chat.users.list({});
      const crew = (await chat.usergroups.users.list({ usergroup: "S03TIDECREW" })).users ?? [];
      const person = members.find(
        ({ id = "", real_name: name = "" }) => crew.includes(id) && name.startsWith(`${who} `),
      );
      await post(channel, `<@${person?.id}> is the status page ready?`, { thread_ts: ts })(chat);
    },
    viaTools: async (tools) => {
      const channel = await channelBy(tools, "tidewater");
      const { ts, open } = await openFindings(tools, channel);
      const who = await userBy(tools, String(/\n\d\. .*\((\w+)\)/.exec(open[0] ?? "")?.[1]));
      await say(tools, channel, `<@${who}> is the status page ready?`, { thread_ts: ts });
    },
    mistakes: {
      "Sam Rivera, who has the password": {
        act: post("C16TIDEWATER", "<@U04SRIVERA> is the status page ready?", {
          thread_ts: REHEARSAL,
        }),
        failure: none("messages"),
      },
      "without a mention": {
        act: post("C16TIDEWATER", "Samir is the status page ready?", { thread_ts: REHEARSAL }),
        failure: none("messages"),
      },
      "beside the thread": {
        act: post("C16TIDEWATER", "<@U05SPATEL> is the status page ready?"),
        failure: none("messages"),
      },
    },
  },

  "threads: do what you were asked, now that you can": {
    solution: async (chat) => {
      const { channel } = await chat.conversations.open({
        users: await userNamed(chat, "Maya Chen"),
      });
      await messageWith(chat, String(channel?.id), "as a reply to Alex's summary");
      const tidewater = await channelNamed(chat, "tidewater");
      const { ts } = await messageWith(chat, tidewater, "End of day one");
      await post(tidewater, NUMBERS, { thread_ts: ts })(chat);
    },
    viaTools: async (tools) => {
      await tsOf(tools, await userBy(tools, "Maya Chen"), "as a reply to Alex's summary");
      const channel = await channelBy(tools, "tidewater");
      const thread_ts = await tsOf(tools, channel, "End of day one");
      await say(tools, channel, NUMBERS, { thread_ts });
    },
    mistakes: {
      "where the question was asked first": {
        act: post("C14DATATEAM", NUMBERS, { thread_ts: "1773218700.833996" }),
        failure: none("messages"),
      },
      "beside the thread": { act: post("C16TIDEWATER", NUMBERS), failure: none("messages") },
      "to Maya Chen herself": { act: post("D01AGENTMAYA", NUMBERS), failure: none("messages") },
    },
  },
};
