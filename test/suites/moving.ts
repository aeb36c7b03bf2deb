/** The suite "Moving": solutions and plausible mistakes of each test. */

import * as chat from "./chat";
import { type Heard, listen } from "./listening";
import { inChat, inTracker, none, type Office, clientOf as officeOf, unexpected } from "./office";
import type { Given, Proofs, Tools } from "./prove";
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

const READS_MAX = 100;
const PAUSE_MS = 200;

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
};
