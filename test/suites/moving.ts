/** The suite "Moving": solutions and plausible mistakes of each test. */

import * as calendar from "./calendar";
import * as chat from "./chat";
import { type Heard, listen } from "./listening";
import * as mail from "./mail";
import {
  at,
  inChat,
  inMail,
  inTracker,
  none,
  type Office,
  clientOf as officeOf,
  unexpected,
} from "./office";
import type { Proofs } from "./prove";
import type { Given, Tools } from "./server";
import * as tracker from "./tracker";

/** An agent, which may be a bot. */
export type Mover = Office & { readonly given: Given };
type Act = (mover: Mover) => Promise<unknown>;

export const clientOf = (given: Given): Mover => ({ ...officeOf(given), given });

const both =
  (...acts: readonly Act[]): Act =>
  async (mover) => {
    for (const act of acts) await act(mover);
  };

// ---- Colleagues

const READS_MAX = 200;
const PAUSE_MS = 100;

/** A place in which somebody answers: a channel, or a thread of it. */
type Place = { readonly channel: string; readonly thread?: string };

const OMAR: Place = { channel: "C19SECURITY", thread: "1772805600.681705" };
const FREEZE: Place = { channel: "C04PLATFORM", thread: "1773061200.460409" };
const PLATFORM: Place = { channel: "C04PLATFORM" };
const DAY_ONE: Place = { channel: "C14DATATEAM", thread: "1773218700.833996" };
const SUMMARY: Place = { channel: "C16TIDEWATER", thread: "1773158400.150167" };
const SAM: Place = { channel: "D02AGENTSAM" };
const TOM: Place = { channel: "D03AGENTTOM" };
const MAYA: Place = { channel: "D01AGENTMAYA" };

/** Reads until the text that `read` returns has a match. */
async function until(read: () => Promise<string>, wanted: RegExp): Promise<string> {
  for (let reads = 0; reads < READS_MAX; reads++) {
    const found = wanted.exec(await read());
    if (found) return found[1] ?? found[0];
    await Bun.sleep(PAUSE_MS);
  }
  throw new Error(`nobody has written ${wanted}`);
}

const say = ({ channel, thread }: Place, text: string): Act =>
  inChat(chat.post(channel, text, thread ? { thread_ts: thread } : {}));

/** Waits for an answer; returns the first group of the pattern. */
const hear =
  ({ channel, thread }: Place, wanted: RegExp) =>
  (office: Office) =>
    until(async () => {
      const { conversations } = office.chat;
      const { messages = [] } = thread
        ? await conversations.replies({ channel, ts: thread })
        : await conversations.history({ channel, limit: 10 });
      return messages.map(({ text }) => text).join("\n");
    }, wanted);

const sayBy =
  ({ channel, thread }: Place, text: string) =>
  (tools: Tools) =>
    chat.say(tools, channel, text, thread ? { thread_ts: thread } : {});
const hearBy =
  ({ channel, thread }: Place, wanted: RegExp) =>
  (tools: Tools) =>
    until(async () => {
      const at = { channel_id: channel };
      const { messages } = thread
        ? await tools("slack_read_thread", { ...at, message_ts: thread })
        : await tools("slack_read_channel", at);
      return `${messages}`;
    }, wanted);

/** Says something, hears an answer, and acts on it. */
const ask =
  (place: Place, question: string, answer: RegExp, act: (heard: string) => Act): Act =>
  async (mover) => {
    await say(place, question)(mover);
    await act(await hear(place, answer)(mover))(mover);
  };
type ByTools = (tools: Tools) => Promise<unknown>;
const askBy =
  (place: Place, question: string, answer: RegExp, act: (heard: string) => ByTools): ByTools =>
  async (tools) => {
    await sayBy(place, question)(tools);
    await act(await hearBy(place, answer)(tools))(tools);
  };

const due = (identifier: string, dueDate: string): Act =>
  inTracker(tracker.update(identifier, { dueDate }));
const assign = (identifier: string, name: string): Act =>
  inTracker(tracker.assign(identifier, name));
const comment = (identifier: string, body: string): Act =>
  inTracker(tracker.write(identifier, body));
const commentBy =
  (issueId: string, body: string): ByTools =>
  (tools) =>
    tools("save_comment", { issueId, body });

/** The day of April that a text names. */
const inApril = (day: string) => `2026-04-${day.padStart(2, "0")}`;

const WAIT = "May the certificate of the mail relay wait?";
const CLOSE = "May I close PLAT-42?";
const MAY_WAIT = "Daniel, Omar, may SEC-9 wait until 24 March?";
const HOW_MANY = "How many bookings?";
const PORT = "Which port does Antwerp use now?";
const TAKE = "I take PLAT-33.";

const COST = "Cost centre";
const PAYS = "Which cost centre pays for VesselDB?";
const askChristine = (person = "christine.parks") => inMail(mail.write(at(person), COST, PAYS));
const REPLY = { userId: "me", q: "from:christine.parks subject:(Re: Cost centre)" };
/** Waits for a mail with this in its snippet. */
const hearByMail = (wanted: RegExp) => (office: Office) =>
  until(async () => {
    const { users, at: options } = office.mail;
    const { data } = await users.messages.list(REPLY, options);
    const [found] = data.messages ?? [];
    if (!found) return "";
    return `${(await users.messages.get({ userId: "me", id: `${found.id}` }, options)).data.snippet}`;
  }, wanted);
const payBy =
  (wanted: RegExp, act: (centre: string) => Act): Act =>
  async (mover) => {
    await askChristine()(mover);
    await act(await hearByMail(wanted)(mover))(mover);
  };

const UNTIL_WHEN = "Until when?";
/** Sets due dates in order. `isCareful`: looks for a newer message before each. */
const dateInOrder =
  (isCareful: boolean): Act =>
  async (mover) => {
    await say(MAYA, UNTIL_WHEN)(mover);
    let newest = await hear(MAYA, /[Uu]ntil (\d+) March/)(mover);
    for (const identifier of ["TIDE-53", "TIDE-54", "TIDE-55"]) {
      if (isCareful) newest = await hear(MAYA, /[Uu]ntil (\d+) March/)(mover);
      await due(identifier, `2026-03-${newest}`)(mover);
    }
  };

const REVIEW = "Port review";
const reviewAt = (from: string, to: string) =>
  calendar.timed(`2026-03-12T${from}`, `2026-03-12T${to}`);
const invite = async ({ calendar: { api, at: options } }: Office, more: object = {}) => {
  const requestBody = {
    ...{ summary: REVIEW, ...reviewAt("11:00", "11:30") },
    ...{ ...calendar.guests(at("priya.nair")), ...more },
  };
  const { data } = await api.events.insert({ calendarId: "primary", requestBody }, options);
  return `${data.id}`;
};
/** Waits for the comment of the guest. */
const hearGuest = (eventId: string) => (office: Office) =>
  until(async () => {
    const { api, at: options } = office.calendar;
    const { data } = await api.events.get({ calendarId: "primary", eventId }, options);
    return `${data.attendees?.find(({ email }) => email === at("priya.nair"))?.comment}`;
  }, /\d\d:\d\d/);
const moveReview =
  (eventId: string, from: string, to: string): Act =>
  ({ calendar: { api, at: options } }) =>
    api.events.patch({ calendarId: "primary", eventId, requestBody: reviewAt(from, to) }, options);

// ---- Bots

const NO_EVENTS = "no tool receives events" as const;
const AGENT = "U01AGENTONE";

/** Begins, and handles so many events. */
const bot =
  (begin: Act, count: number, handle: (event: any, heard: Heard) => Act): Act =>
  (mover) =>
    listen(
      mover.given,
      () => begin(mover),
      count,
      (heard) => handle(heard.event, heard)(mover),
    );
const nothing: Act = async () => {};

const SUPPORT: Place = { channel: "C10SUPPORT" };
const DUTY = "I am on duty.";
/** The issue of a ticket, by the number in the first message of its thread. */
const issueOf = async (office: Office, thread: string) => {
  const { messages } = await office.chat.conversations.replies({ ...SUPPORT, ts: thread });
  const [number = ""] = /#\d+/.exec(`${messages?.[0]?.text}`) ?? [];
  const titled = { or: [{ title: { contains: number } }, { title: { contains: "Slow list" } }] };
  const { nodes } = await office.tracker.issues({ filter: titled });
  const found = nodes.find(({ title }) => title.includes(number)) ?? nodes[0];
  return `${found?.identifier}`;
};
/** Answers a mention, in the thread that `threadOf` chooses. */
const answerMention =
  (threadOf: (event: any) => string | undefined, types: readonly string[] = ["app_mention"]) =>
  (event: any): Act =>
  async (mover) => {
    if (!types.includes(event.type) || event.user === AGENT) return;
    const thread = threadOf(event);
    const text = await issueOf(mover, event.thread_ts);
    await say({ ...SUPPORT, ...(thread && { thread }) }, text)(mover);
  };
const MENTIONS = 8;

const FILE_IT = "File it here.";
const inPlatform = async (office: Office, title: string) =>
  office.tracker.createIssue({
    teamId: await tracker.teamId(office.tracker, "Platform"),
    title,
  });
/** Creates an issue for each event that is new by the judgement of `isNew`. */
const fileRequests = (
  isNew: (heard: Heard, seen: Set<string>) => boolean,
  title = /File: (.+)/,
) => {
  return (): Act => {
    const seen = new Set<string>();
    return bot(say(PLATFORM, FILE_IT), 4, ({ text }, heard) => async (mover) => {
      if (!isNew(heard, seen)) return;
      seen.add(heard.id);
      await inPlatform(mover, `${title.exec(text)?.[1]}`);
    });
  };
};
const once = ({ id }: Heard, seen: Set<string>) => !seen.has(id);

const WHO_TAKES = "Who takes what?";
const nameOf = async (office: Office, user: string) =>
  `${(await office.chat.users.info({ user })).user?.real_name}`;
const takeTicket = (isMeant: (reaction: string) => boolean, who: (event: any) => string) =>
  bot(say(SUPPORT, WHO_TAKES), 2, (event) => async (mover) => {
    if (!isMeant(event.reaction)) return;
    const identifier = await issueOf(mover, event.item.ts);
    await assign(identifier, await nameOf(mover, who(event)))(mover);
  });
const isHand = (reaction: string) => reaction === "raised_hand";

const TIDEWATER: Place = { channel: "C16TIDEWATER" };
const RAISE = 'A raised hand at "Flag is on." takes TIDE-54.';
const unassign: Act = inTracker(tracker.update("TIDE-54", { assigneeId: null }));
const mind = (onRemoved: Act, count = 2) =>
  bot(say(TIDEWATER, RAISE), count, (event) => async (mover) => {
    if (event.type === "reaction_removed") return await onRemoved(mover);
    return await assign("TIDE-54", await nameOf(mover, event.user))(mover);
  });

const ENGINEERING: Place = { channel: "C03ENGINEER" };
const FOLLOW = "I follow the demo.";
/** Sets the due date by the text that `textOf` chooses of an edited message. */
const followDemo = (textOf: (event: any) => string, count: number, isAny = false) =>
  bot(say(ENGINEERING, FOLLOW), count, (event) => async (mover) => {
    if (event.subtype !== "message_changed") return;
    if (!isAny && event.channel !== ENGINEERING.channel) return;
    const [, day] = /on the (\d+)th/.exec(textOf(event)) ?? [];
    await due("TIDE-55", `2026-03-${day}`)(mover);
  });
const newText = (event: any): string => event.message.text;
const oldText = (event: any): string => event.previous_message.text;

const INCIDENTS: Place = { channel: "C12INCIDENTS" };
const NEWCOMERS = "I welcome newcomers.";
const welcome = (
  isMeant: (event: any) => boolean,
  name: (event: any, office: Office) => string | Promise<string> = ({ user }) => `<@${user}>`,
) =>
  bot(say(INCIDENTS, NEWCOMERS), 3, (event) => async (mover) => {
    if (!isMeant(event)) return;
    const text = `${await name(event, mover)}, please write in the thread of the incident.`;
    await say(INCIDENTS, text)(mover);
  });
const joins = ({ type }: any) => type === "member_joined_channel";
const atIncidents = ({ channel }: any) => channel === INCIDENTS.channel;

const RANDOM: Place = { channel: "C02RANDOM" };
const LUNCH = "Who wants to order lunch?";
const takeOrders = (isMeant: (event: any) => boolean, count: number, isInThread = false) =>
  bot(say(RANDOM, LUNCH), count, (event) => async (mover) => {
    if (!isMeant(event)) return;
    const place = { ...RANDOM, ...(isInThread && { thread: event.ts }) };
    await say(place, "Your order is noted.")(mover);
  });
const orders = ({ text }: any) => text.includes("order");
const others = ({ user }: any) => user !== AGENT;

const WHOSE = "Whose issue?";
const answerTom = (count: number, answer: (event: any, name: string | undefined) => Act) =>
  bot(say(TOM, WHOSE), count, (event) => async (mover) => {
    if (!others(event)) return;
    const [identifier] = /[A-Z]+-\d+/.exec(event.text) ?? [];
    const assignee = identifier && (await (await mover.tracker.issue(identifier)).assignee);
    await answer(event, identifier && (assignee ? assignee.name : "nobody"))(mover);
  });

const SHARE = "Share the plan here.";
const notePlan = (isMeant: (event: any) => boolean, textOf = (file: any): string => file.title) =>
  bot(say(TIDEWATER, SHARE), 2, (event) => async (mover) => {
    if (!isMeant(event)) return;
    const { file } = await mover.chat.files.info({ file: event.file_id });
    await comment("TIDE-36", textOf(file))(mover);
  });
const atTidewater = ({ channel_id: channel }: any) => channel === TIDEWATER.channel;

const KEEP = "I keep the topic.";
const topic = (text: string) => (office: Office) =>
  office.chat.conversations.setTopic({ ...INCIDENTS, topic: text });
const keepTopic = (isMeant: (event: any) => boolean, namesOf: (names: string[]) => string[]) =>
  bot(say(INCIDENTS, KEEP), 2, (event) => async (mover) => {
    if (!isMeant(event)) return;
    const usergroup = event.subteam_id;
    const { users = [] } = await mover.chat.usergroups.users.list({ usergroup });
    const names: string[] = [];
    for (const user of users) names.push(`${(await nameOf(mover, user)).split(" ")[0]}`);
    const first = namesOf(names).toSorted();
    await topic(`On call: ${first.join(", ")}`)(mover);
  });
const isOnCall = ({ subteam_id: group }: any) => group === "S01ONCALL";
const all = (names: string[]) => names;

export const proofs: Proofs<Mover> = {
  "approve: until when": {
    solution: ask(OMAR, WAIT, /Until Thursday, (\d+) April/, (day) => due("SEC-13", inApril(day))),
    viaTools: askBy(
      OMAR,
      WAIT,
      /Until Thursday, (\d+) April/,
      (day) => (tools) => tracker.save(tools, "SEC-13", { dueDate: inApril(day) }),
    ),
    mistakes: {
      "before the answer": {
        act: both(say(OMAR, WAIT), due("SEC-13", "2026-04-01")),
        failure: none("tracker_issues", 2),
      },
      "without a question": {
        act: due("SEC-13", inApril("9")),
        failure: none("chat_messages"),
      },
      "outside of the thread, where nobody answers": {
        act: say({ channel: OMAR.channel }, WAIT),
        failure: none("tracker_issues", 2),
      },
      "another certificate": {
        act: ask(OMAR, WAIT, /Until Thursday, (\d+) April/, (day) => due("SEC-12", inApril(day))),
        failure: none("tracker_issues", 2),
      },
    },
  },

  "approve: a refusal": {
    solution: ask(FREEZE, CLOSE, /No: (.+)/, (reason) => comment("PLAT-42", reason)),
    viaTools: askBy(FREEZE, CLOSE, /No: (.+)/, (reason) => commentBy("PLAT-42", reason)),
    mistakes: {
      "before the answer": {
        act: both(say(FREEZE, CLOSE), inTracker(tracker.move("PLAT-42", "Platform", "Done"))),
        failure: none("tracker_comments", 2),
      },
      "in spite of the answer": {
        act: ask(FREEZE, CLOSE, /No: (.+)/, (reason) =>
          both(comment("PLAT-42", reason), inTracker(tracker.move("PLAT-42", "Platform", "Done"))),
        ),
        failure: "closed_world tracker_issues has an unexpected changed row",
      },
      "the whole answer": {
        act: ask(FREEZE, CLOSE, /(No: .+)/, (answer) => comment("PLAT-42", answer)),
        failure: none("tracker_comments", 2),
      },
    },
  },

  "approve: two of two": {
    solution: ask(OMAR, MAY_WAIT, /do not agree/, () => comment("SEC-9", "No agreement.")),
    viaTools: askBy(OMAR, MAY_WAIT, /do not agree/, () => commentBy("SEC-9", "No agreement.")),
    mistakes: {
      "after the first of them": {
        act: ask(OMAR, MAY_WAIT, /Yes, agreed/, () => due("SEC-9", "2026-03-24")),
        failure: none("tracker_comments", 2),
      },
      "both, one after the other": {
        act: ask(OMAR, MAY_WAIT, /do not agree/, () =>
          both(due("SEC-9", "2026-03-24"), comment("SEC-9", "No agreement.")),
        ),
        failure: "closed_world tracker_issues has an unexpected changed row",
      },
      "nobody was asked": {
        act: comment("SEC-9", "No agreement."),
        failure: none("chat_messages"),
      },
    },
  },

  "answer: a correction": {
    solution: ask(DAY_ONE, HOW_MANY, /(\d+)\. Final/, (count) =>
      say(SUMMARY, `Bookings: ${count}`),
    ),
    viaTools: askBy(DAY_ONE, HOW_MANY, /(\d+)\. Final/, (count) =>
      sayBy(SUMMARY, `Bookings: ${count}`),
    ),
    mistakes: {
      "the first number": {
        act: ask(DAY_ONE, HOW_MANY, /(\d+) bookings/, (count) =>
          say(SUMMARY, `Bookings: ${count}`),
        ),
        failure: none("chat_messages", 2),
      },
      "both numbers": {
        act: both(
          ask(DAY_ONE, HOW_MANY, /(\d+) bookings/, (count) => say(SUMMARY, `Bookings: ${count}`)),
          async (office) => {
            const count = await hear(DAY_ONE, /(\d+)\. Final/)(office);
            await say(SUMMARY, `Bookings: ${count}`)(office);
          },
        ),
        failure: unexpected("chat_messages"),
      },
      "in the channel": {
        act: ask(DAY_ONE, HOW_MANY, /(\d+)\. Final/, (count) =>
          say({ channel: SUMMARY.channel }, `Bookings: ${count}`),
        ),
        failure: none("chat_messages", 2),
      },
    },
  },

  "answer: somebody else knows": {
    solution: ask(SAM, PORT, /Tom Becker knows/, () =>
      ask(TOM, PORT, /(\d{4}), since/, (port) => comment("PLAT-40", port)),
    ),
    viaTools: askBy(SAM, PORT, /Tom Becker knows/, () =>
      askBy(TOM, PORT, /(\d{4}), since/, (port) => commentBy("PLAT-40", port)),
    ),
    mistakes: {
      "without asking on": {
        act: ask(SAM, PORT, /Tom Becker knows/, () => comment("PLAT-40", "Tom Becker knows.")),
        failure: none("chat_messages", 2),
      },
      "everybody, to be quick": {
        act: both(
          say(SAM, PORT),
          say(MAYA, PORT),
          ask(TOM, PORT, /(\d{4}), since/, (port) => comment("PLAT-40", port)),
        ),
        failure: unexpected("chat_messages"),
      },
      "the port of the contract": {
        act: both(say(SAM, PORT), say(TOM, PORT), comment("PLAT-40", "443")),
        failure: none("tracker_comments", 3),
      },
    },
  },

  "answer: by mail": {
    solution: payBy(/(\d{4}) from March/, (centre) => comment("DATA-15", centre)),
    viaTools: async (tools) => {
      await tools("send_message", { to: [at("christine.parks")], subject: COST, body: PAYS });
      const query = REPLY.q;
      const centre = await until(
        async () => JSON.stringify(await tools("search_threads", { query })),
        /(\d{4}) from March/,
      );
      await commentBy("DATA-15", centre)(tools);
    },
    mistakes: {
      "of the months before": {
        act: payBy(/(\d{4}) until/, (centre) => comment("DATA-15", centre)),
        failure: none("tracker_comments", 2),
      },
      "the almost namesake, who does not answer": {
        act: both(askChristine("chris.park"), comment("DATA-15", "unknown")),
        failure: none("mail_messages"),
      },
      "before the answer": {
        act: both(askChristine(), comment("DATA-15", "900")),
        failure: none("tracker_comments", 2),
      },
    },
  },

  "faster: somebody has begun": {
    solution: ask(PLATFORM, TAKE, /I have begun/, () => assign("PLAT-33", "Chris Park")),
    viaTools: askBy(
      PLATFORM,
      TAKE,
      /I have begun/,
      () => (tools) => tracker.save(tools, "PLAT-33", { assignee: "Chris Park" }),
    ),
    mistakes: {
      "without waiting": {
        act: both(say(PLATFORM, TAKE), assign("PLAT-33", "Harborline Assistant")),
        failure: none("tracker_issues", 2),
      },
      "to the one of that name": {
        act: ask(PLATFORM, TAKE, /I have begun/, () => assign("PLAT-33", "Kris Parker")),
        failure: none("tracker_issues", 2),
      },
      "to nobody": {
        act: ask(PLATFORM, TAKE, /I have begun/, () => nothing),
        failure: none("tracker_issues", 2),
      },
    },
  },

  "change: a date that moves": {
    solution: dateInOrder(true),
    viaTools: async (tools) => {
      await sayBy(MAYA, UNTIL_WHEN)(tools);
      for (const identifier of ["TIDE-53", "TIDE-54", "TIDE-55"]) {
        const day = await hearBy(MAYA, /[Uu]ntil (\d+) March/)(tools);
        await tracker.save(tools, identifier, { dueDate: `2026-03-${day}` });
      }
    },
    mistakes: {
      "without another look": { act: dateInOrder(false), failure: none("tracker_issues", 3) },
      "what is set, too": {
        act: both(dateInOrder(true), due("TIDE-53", "2026-03-27")),
        failure: none("tracker_issues", 2),
      },
      "without a question": {
        act: both(due("TIDE-53", "2026-03-20"), due("TIDE-54", "2026-03-27")),
        failure: none("chat_messages"),
      },
    },
  },

  "change: another time": {
    solution: async (mover) => {
      const eventId = await invite(mover);
      await hearGuest(eventId)(mover);
      await moveReview(eventId, "16:30", "17:00")(mover);
    },
    viaTools: async (tools) => {
      const { id: eventId } = await tools("create_event", {
        ...{ summary: REVIEW, ...calendar.span("2026-03-12T11:00", "2026-03-12T11:30") },
        ...calendar.invited(at("priya.nair")),
      });
      await until(
        async () => JSON.stringify(await tools("get_event", { eventId })),
        /I could come at 16:30/,
      );
      const later = calendar.span("2026-03-12T16:30", "2026-03-12T17:00");
      await tools("update_event", { eventId, ...later });
    },
    mistakes: {
      "without waiting": { act: invite, failure: none("calendar_events") },
      "a second event": {
        act: async (mover) => {
          await hearGuest(await invite(mover))(mover);
          await invite(mover, reviewAt("16:30", "17:00"));
        },
        failure: unexpected("calendar_events"),
      },
      "until the old end": {
        act: async (mover) => {
          const eventId = await invite(mover);
          await hearGuest(eventId)(mover);
          await moveReview(eventId, "16:30", "17:30")(mover);
        },
        failure: none("calendar_events"),
      },
    },
  },

  "change: not me this week": {
    solution: async (mover) => {
      await assign("PLAT-32", "Sam Rivera")(mover);
      await hear(PLATFORM, /PLAT-32: not me/)(mover);
      await assign("PLAT-32", "Samir Patel")(mover);
    },
    viaTools: async (tools) => {
      await tracker.save(tools, "PLAT-32", { assignee: "Sam Rivera" });
      await hearBy(PLATFORM, /PLAT-32: not me/)(tools);
      await tracker.save(tools, "PLAT-32", { assignee: "Samir Patel" });
    },
    mistakes: {
      "without waiting": {
        act: assign("PLAT-32", "Sam Rivera"),
        failure: none("tracker_issues"),
      },
      "to another Sam": {
        act: both(assign("PLAT-32", "Sam Rivera"), assign("PLAT-32", "Samantha Ribeiro")),
        failure: none("tracker_issues"),
      },
      "with an answer": {
        act: both(
          assign("PLAT-32", "Sam Rivera"),
          async (office) => hear(PLATFORM, /PLAT-32: not me/)(office),
          assign("PLAT-32", "Samir Patel"),
          say(PLATFORM, "Done."),
        ),
        failure: unexpected("chat_messages"),
      },
    },
  },

  "bot: a mention in a thread": {
    solution: bot(
      say(SUPPORT, DUTY),
      MENTIONS,
      answerMention(({ thread_ts }) => thread_ts),
    ),
    viaTools: NO_EVENTS,
    mistakes: {
      "in the channel": {
        act: bot(
          say(SUPPORT, DUTY),
          MENTIONS,
          answerMention(() => undefined),
        ),
        failure: none("chat_messages", 2),
      },
      "always in the first thread": {
        act: bot(
          say(SUPPORT, DUTY),
          MENTIONS,
          answerMention(() => "1773217200.489842"),
        ),
        failure: none("chat_messages", 3),
      },
      "messages that mention nobody, too": {
        act: bot(
          say(SUPPORT, DUTY),
          MENTIONS,
          answerMention(({ thread_ts }) => thread_ts, ["message"]),
        ),
        failure: unexpected("chat_messages"),
      },
      "a mention and its message": {
        act: bot(
          say(SUPPORT, DUTY),
          MENTIONS,
          answerMention(({ thread_ts }) => thread_ts, ["app_mention", "message"]),
        ),
        failure: "assertion#2 chat_messages expected count 1 but got 2",
      },
      "without listening": {
        act: both(
          say(SUPPORT, DUTY),
          say({ ...SUPPORT, thread: "1773217200.489842" }, "TIDE-49"),
          say({ ...SUPPORT, thread: "1773140700.467586" }, "TIDE-52"),
        ),
        failure: "assertion#4 app_mention",
      },
    },
  },

  "bot: a request that comes twice": {
    solution: (mover) => fileRequests(once)()(mover),
    viaTools: NO_EVENTS,
    mistakes: {
      "an issue for each delivery": {
        act: (mover) => fileRequests(() => true)()(mover),
        failure: "assertion#2 tracker_issues expected count 1 but got 2",
      },
      "only the first request": {
        act: (mover) => fileRequests((_, seen) => seen.size === 0)()(mover),
        failure: none("tracker_issues", 3),
      },
      "with the mention in its title": {
        act: (mover) => fileRequests(once, /(.+)/)()(mover),
        failure: none("tracker_issues", 2),
      },
    },
  },

  "bot: who takes a ticket": {
    solution: takeTicket(isHand, ({ user }) => user),
    viaTools: NO_EVENTS,
    mistakes: {
      "to the author of the message": {
        act: takeTicket(isHand, ({ item_user: author }) => author),
        failure: none("tracker_issues", 2),
      },
      "with any reaction": {
        act: takeTicket(
          () => true,
          ({ user }) => user,
        ),
        failure: "closed_world tracker_issues has an unexpected changed row",
      },
      "without listening": {
        act: both(say(SUPPORT, WHO_TAKES), assign("TIDE-52", "Samir Patel")),
        failure: "assertion#3 reaction_added",
      },
    },
  },

  "bot: a change of mind": {
    solution: mind(unassign),
    viaTools: NO_EVENTS,
    mistakes: {
      "what is taken back stays": { act: mind(nothing), failure: none("tracker_issues", 2) },
      "back to the one who had it": {
        act: mind(assign("TIDE-54", "Tom Becker")),
        failure: none("tracker_issues", 2),
      },
      "without listening": {
        act: both(say(TIDEWATER, RAISE), unassign),
        failure: "assertion#3 reaction_removed",
      },
    },
  },

  "bot: the newest text": {
    solution: followDemo(newText, 4),
    viaTools: NO_EVENTS,
    mistakes: {
      "the text before": { act: followDemo(oldText, 4), failure: none("tracker_issues", 2) },
      "only the first edit": { act: followDemo(newText, 3), failure: none("tracker_issues", 2) },
      "as the message is at the beginning": {
        act: both(say(ENGINEERING, FOLLOW), due("TIDE-55", "2026-03-13")),
        failure: none("tracker_issues", 2),
      },
    },
  },

  "bot: a welcome": {
    solution: welcome((event) => joins(event) && atIncidents(event)),
    viaTools: NO_EVENTS,
    mistakes: {
      "everyone who joins a channel": { act: welcome(joins), failure: unexpected("chat_messages") },
      "the one who leaves": {
        act: welcome((event) => !joins(event)),
        failure: none("chat_messages", 2),
      },
      "by name": {
        act: welcome(
          (event) => joins(event) && atIncidents(event),
          ({ user }, office) => nameOf(office, user),
        ),
        failure: none("chat_messages", 2),
      },
    },
  },

  "bot: its own words": {
    solution: takeOrders((event) => others(event) && orders(event), 6),
    viaTools: NO_EVENTS,
    mistakes: {
      "its own, too": {
        act: takeOrders(orders, 6),
        failure: "assertion#2 chat_messages expected count 2",
      },
      "each message of others": {
        act: takeOrders(others, 7),
        failure: "assertion#2 chat_messages expected count 2 but got 3",
      },
      "in threads": {
        act: takeOrders((event) => others(event) && orders(event), 4, true),
        failure: "assertion#2 chat_messages expected count 2 but got 0",
      },
    },
  },

  "bot: a conversation": {
    solution: answerTom(6, (_, name) => (name ? say(TOM, name) : nothing)),
    viaTools: NO_EVENTS,
    mistakes: {
      "only the first question": {
        act: answerTom(2, (_, name) => (name ? say(TOM, name) : nothing)),
        failure: none("chat_messages", 3),
      },
      "thanks, too": {
        act: answerTom(6, (_, name) => say(TOM, name ?? "You are welcome.")),
        failure: unexpected("chat_messages"),
      },
      "in threads": {
        act: answerTom(6, ({ ts: thread }, name) =>
          name ? say({ ...TOM, thread }, name) : nothing,
        ),
        failure: none("chat_messages", 2),
      },
    },
  },

  "bot: a plan is shared": {
    solution: notePlan(atTidewater),
    viaTools: NO_EVENTS,
    mistakes: {
      "wherever it is shared": {
        act: notePlan(() => true),
        failure: unexpected("tracker_comments"),
      },
      "its id": {
        act: notePlan(atTidewater, ({ id }) => id),
        failure: none("tracker_comments", 2),
      },
      "where it is": {
        act: notePlan(atTidewater, ({ external_id: id }) => `${id}`),
        failure: none("tracker_comments", 2),
      },
    },
  },

  "bot: who is on call": {
    solution: keepTopic(isOnCall, all),
    viaTools: NO_EVENTS,
    mistakes: {
      "the other group": {
        act: keepTopic((event) => !isOnCall(event), all),
        failure: none("chat_channels", 2),
      },
      "only who is new": {
        act: keepTopic(isOnCall, ([first = ""]) => [first]),
        failure: none("chat_channels", 2),
      },
      "without listening": {
        act: both(say(INCIDENTS, KEEP), topic("On call: Chris, Tom")),
        failure: "assertion#3 subteam_members_changed",
      },
    },
  },
};
