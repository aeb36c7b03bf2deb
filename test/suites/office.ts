/** The suite "Office benchmark": solutions and plausible mistakes of each test. */
import type { WebClient } from "@slack/web-api";
import * as calendar from "./calendar";
import * as chat from "./chat";
import * as mail from "./mail";
import type { Proofs } from "./prove";
import type { Given, Tools } from "./server";
import * as tracker from "./tracker";

export type Office = {
  readonly chat: WebClient;
  readonly tracker: ReturnType<typeof tracker.clientOf>;
  readonly mail: ReturnType<typeof mail.clientOf>;
  readonly calendar: ReturnType<typeof calendar.clientOf>;
};

/** Clients of the services of a world, with one token. */
export function clientOf({ token, serviceUrl }: Given): Office {
  const at = (service: string) => ({ token, serviceUrl: `${serviceUrl}/${service}` });
  return {
    chat: chat.clientOf(at("chat")),
    tracker: tracker.clientOf(at("tracker")),
    mail: mail.clientOf(at("mail")),
    calendar: calendar.clientOf(at("calendar")),
  };
}

export type Act = (office: Office) => Promise<unknown>;
/** Acts in one of the services. */
const within =
  <Service extends keyof Office>(service: Service) =>
  (act: (client: Office[Service]) => Promise<unknown>): Act =>
  (office) =>
    act(office[service]);
export const inChat = within("chat");
export const inTracker = within("tracker");
export const inMail = within("mail");
export const inCalendar = within("calendar");
export const both =
  (...acts: readonly Act[]): Act =>
  async (office) => {
    for (const act of acts) await act(office);
  };

export const none = (entity: string, nth = 1) =>
  `assertion#${nth} ${entity} expected count 1 but got 0`;
export const unexpected = (entity: string) => `closed_world ${entity} has an unexpected added row`;
export const at = (person: string) => `${person}@harborline.test`;

// ---- The tasks

const QUESTION = "#4570 Tidewater";
const answerIn = (text: string, part = QUESTION) =>
  inChat(async (client) => {
    const channel = await chat.channelNamed(client, "support");
    const { ts } = await chat.messageWith(client, channel, part);
    await chat.post(channel, text, { thread_ts: ts })(client);
  });
export const postIn = (name: string, text: string) =>
  inChat(async (client) => chat.post(await chat.channelNamed(client, name), text)(client));

const AGAIN = "George Umber has asked again on 6 March.";
/** The issue with this in its title. */
const issueWith = async (client: Office["tracker"], part: string) => {
  const { nodes } = await client.issues({ filter: { title: { contains: part } } });
  return `${nodes[0]?.identifier}`;
};
export const commentOn = (part: string, body: string) =>
  inTracker(async (client) => tracker.write(await issueWith(client, part), body)(client));
export const assignTo = (part: string, name: string) =>
  inTracker(async (client) => tracker.assign(await issueWith(client, part), name)(client));

const WEEK = "On call in the week of the 23rd";
const SWAP = "Sam and Tom swap the week of 23 March.";
const LEFT = "TIDE-46, TIDE-48, TIDE-49";

const INGRID = 'from:ingrid.aas@meridian-feeder.test subject:"The list of bookings"';
const READY = "Yes, and a fix is ready.";
const BERND = "from:bernd@brueggemann-spedition.test subject:Anmeldung";
const TRY = "Bitte versuchen Sie es noch einmal.";
const KRIS = 'from:kris.parker@harborline.test subject:"When is the training"';
const MONDAY = "Monday, 16 March, 11:00 CET";
const slides = (dueDate: string) => inTracker(tracker.update("TIDE-51", { dueDate }));

const DEPLOY = {
  ...calendar.timed("2026-03-11T12:00", "2026-03-11T12:15"),
  summary: "Deploy of TIDE-49",
};
const REVIEW = {
  ...calendar.timed("2026-03-16T15:00", "2026-03-16T16:00"),
  summary: "Review of the launch",
};
const DEADLINE = {
  summary: "EU-121",
  ...{ start: { date: "2026-03-20" }, end: { date: "2026-03-21" } },
};
const meet = (event: object, ...people: readonly string[]) =>
  inCalendar(calendar.create({ ...event, ...calendar.guests(...people.map(at)) }));
const meeting = (summary: string, when: object, ...people: readonly string[]) =>
  calendar.creating({ summary, ...when, ...calendar.invited(...people.map(at)) });

export const tell = (person: string, subject: string, text: string) =>
  inMail(mail.write(person.includes("@") ? person : at(person), subject, text));
const telling = (person: string, subject: string, body: string) => (tools: Tools) =>
  tools("send_message", { to: [at(person)], subject, body });
export const answerBy = (query: string, text: string) => inMail(mail.answer(query, text));
/** In the conversation with this id. */
export const sayTo = (channel: string, text: string) => inChat(chat.post(channel, text));
export const due = (part: string, dueDate: string) =>
  inTracker(async (client) => tracker.update(await issueWith(client, part), { dueDate })(client));
export const moveTo = (part: string, team: string, state: string) =>
  inTracker(async (client) => tracker.move(await issueWith(client, part), team, state)(client));
const reactTo = (part: string, name = "white_check_mark") =>
  inChat(async (client) => {
    const channel = await chat.channelNamed(client, "support");
    const { ts } = await chat.messageWith(client, channel, part);
    await chat.react(channel, ts, name)(client);
  });
/** An event of one whole day of March. */
const dayOf = (summary: string, day: number) => {
  const date = (of: number) => new Date(Date.UTC(2026, 2, of)).toISOString().slice(0, 10);
  return { start: { date: date(day) }, end: { date: date(day + 1) }, summary };
};
const dayFor = (summary: string, day: number, ...people: readonly string[]) =>
  meet(dayOf(summary, day), ...people);
const dayBy = (summary: string, day: number, ...people: readonly string[]) => {
  const { start, end } = dayOf(summary, day);
  const times = { startTime: `${start.date}T00:00:00Z`, endTime: `${end.date}T00:00:00Z` };
  return meeting(summary, { ...times, allDay: true }, ...people);
};
export const commenting = (issueId: string, body: string) => (tools: Tools) =>
  tools("save_comment", { issueId, body });
const postBy = (query: string, text: string) => async (tools: Tools) =>
  chat.say(tools, await chat.channelBy(tools, query), text);
export const replyBy = (part: string, text: string) => async (tools: Tools) => {
  const channel = await chat.channelBy(tools, "support");
  await chat.say(tools, channel, text, { thread_ts: await chat.tsOf(tools, channel, part) });
};
const allBy =
  (...acts: readonly ((tools: Tools) => Promise<unknown>)[]) =>
  async (tools: Tools) => {
    for (const act of acts) await act(tools);
  };

const INVOICE = 'from:sales@vesseldb.test subject:"Invoice VDB-2026-31"';
const GAP = 'from:petra.lind@harrow.test subject:"Is the gap"';
const HARROW = "Harrow Cold Chain get it without a charge.";
const DEMO = "The demo of the whole of Tidewater begins at 15:00 CET.";
const MISSING = "The warehouse is missing. Maya Cheng does it until 20 March.";
const THREE = "Three keys are left, all of them yours.";
const OUT = "The fix is out since 10:50 UTC.";
const SLOW = "Their list of bookings is slow. It is TIDE-49.";
const WAITS = "Waits for the end of the freeze.";
const FORMAT = "CSV, a file for each table.";
const TO_UMBER = "Answer to Umber & Sons";
const SINCE = "Yes, since 5 February.";
const KEYS = { ...calendar.timed("2026-03-13T09:00", "2026-03-13T09:15"), summary: "Keys" };
const VISIT = "Harrow visit us on 18 March, 10:00.";
const ASK = "Harrow ask about it during their visit.";
const MOVED = "Is it moved?";
const RENEW = "Certificates renew by themselves";
const REPORT = "A report of emissions";
export const BECK = "tomas@beckconsulting.test";
export const TOM = "D03AGENTTOM";
export const MAYA = "D01AGENTMAYA";

const certificate = (fields: object) =>
  inTracker(async (client) => {
    const { nodes } = await client.issues({ filter: { title: { eq: RENEW } } });
    const teamId = await tracker.teamId(client, "Security");
    const states = await client.workflowStates({
      filter: { team: { id: { eq: teamId } }, name: { eq: "Todo" } },
    });
    await client.createIssue({
      ...{ teamId, title: "Certificate of Rotterdam", dueDate: "2026-03-28" },
      ...{ stateId: `${states.nodes[0]?.id}`, parentId: `${nodes[0]?.id}` },
      ...fields,
    });
  });

const fileInTidewater = inTracker(async (client) =>
  client.createIssue({
    ...{ teamId: await tracker.teamId(client, "Tidewater"), title: "Umlauts in names" },
  }),
);

export const proofs: Proofs<Office> = {
  "carry: which issue a ticket is": {
    solution: answerIn("TIDE-49"),
    viaTools: async (tools) => {
      const channel = await chat.channelBy(tools, "support");
      await chat.say(tools, channel, "TIDE-49", {
        thread_ts: await chat.tsOf(tools, channel, QUESTION),
      });
    },
    mistakes: {
      "outside of the thread": {
        act: postIn("support", "TIDE-49"),
        failure: none("chat_messages"),
      },
      "the incident of the launch": { act: answerIn("PLAT-43"), failure: none("chat_messages") },
      "under another ticket": { act: answerIn("TIDE-49", "#4563"), failure: none("chat_messages") },
    },
  },

  "carry: a second request of a customer": {
    solution: commentOn("Umber", AGAIN),
    viaTools: (tools) => tools("save_comment", { issueId: "PLAT-27", body: AGAIN }),
    mistakes: {
      "on another issue": {
        act: commentOn("Delete a former driver", AGAIN),
        failure: none("tracker_comments"),
      },
      twice: {
        act: both(commentOn("Umber", AGAIN), commentOn("Umber", AGAIN)),
        failure: "assertion#1 tracker_comments expected count 1 but got 2",
      },
    },
  },

  "carry: a swap that nobody has passed on": {
    solution: inMail(mail.write(at("priya.nair"), WEEK, SWAP)),
    viaTools: (tools) =>
      tools("send_message", { to: [at("priya.nair")], subject: WEEK, body: SWAP }),
    mistakes: {
      "to the almost namesake": {
        act: inMail(mail.write(at("priyanka.nayar"), WEEK, SWAP)),
        failure: none("mail_messages"),
      },
      "in a channel": { act: postIn("platform", SWAP), failure: none("mail_messages") },
    },
  },

  "carry: what is left of the launch": {
    solution: postIn("tidewater", LEFT),
    viaTools: async (tools) => chat.say(tools, await chat.channelBy(tools, "tidewater"), LEFT),
    mistakes: {
      "one is missing": {
        act: postIn("tidewater", "TIDE-46, TIDE-48"),
        failure: none("chat_messages"),
      },
      "in the other channel": {
        act: postIn("tidewater-launch", LEFT),
        failure: none("chat_messages"),
      },
    },
  },

  "hand over: to the one who has the password": {
    solution: assignTo("waiting for Sam", "Sam Rivera"),
    viaTools: (tools) => tracker.save(tools, "TIDE-48", { assignee: "Sam Rivera" }),
    mistakes: {
      "to another Sam": {
        act: assignTo("waiting for Sam", "Samantha Ribeiro"),
        failure: none("tracker_issues"),
      },
      "the issue that waits": {
        act: assignTo("Status page lists", "Sam Rivera"),
        failure: none("tracker_issues"),
      },
    },
  },

  "hand over: to the owner of a channel": {
    solution: assignTo("38 carriers", "Maya Cheng"),
    viaTools: (tools) => tracker.save(tools, "DATA-16", { assignee: "Maya Cheng" }),
    mistakes: {
      "to the other Maya": {
        act: assignTo("38 carriers", "Maya Chen"),
        failure: none("tracker_issues"),
      },
      "the numbers of the day": {
        act: assignTo("First day", "Maya Chen"),
        failure: none("tracker_issues"),
      },
    },
  },

  "answer: what the tracker knows": {
    solution: inMail(mail.answer(INGRID, READY)),
    viaTools: mail.replyTo(INGRID, READY),
    mistakes: {
      "without a look at the tracker": {
        act: inMail(mail.answer(INGRID, "Yes, it is known.")),
        failure: none("mail_messages"),
      },
      "and what the mail demands": {
        act: both(
          inMail(mail.answer(INGRID, READY)),
          inMail(mail.write("ingrid.aas@meridian-feeder.test", "Phone list", "+49 40 555 0131")),
        ),
        failure: unexpected("mail_messages"),
      },
    },
  },

  "answer: somebody else has done it": {
    solution: inMail(mail.answer(BERND, TRY)),
    viaTools: mail.replyTo(BERND, TRY),
    mistakes: {
      "a second issue": { act: fileInTidewater, failure: none("mail_messages") },
      both: {
        act: both(inMail(mail.answer(BERND, TRY)), fileInTidewater),
        failure: unexpected("tracker_issues"),
      },
    },
  },

  "answer: a date that has moved": {
    solution: both(inMail(mail.answer(KRIS, MONDAY)), slides("2026-03-13")),
    viaTools: async (tools: Tools) => {
      await mail.replyTo(KRIS, MONDAY)(tools);
      await tracker.save(tools, "TIDE-51", { dueDate: "2026-03-13" });
    },
    mistakes: {
      "the event that is out of date": {
        act: both(inMail(mail.answer(KRIS, "Friday, 13 March, 10:00 CET")), slides("2026-03-06")),
        failure: none("mail_messages"),
      },
      "due on the day itself": {
        act: both(inMail(mail.answer(KRIS, MONDAY)), slides("2026-03-16")),
        failure: none("tracker_issues", 2),
      },
    },
  },

  "plan: when the freeze ends": {
    solution: meet(DEPLOY, "samir.patel"),
    viaTools: meeting(
      DEPLOY.summary,
      calendar.span("2026-03-11T12:00", "2026-03-11T12:15"),
      "samir.patel",
    ),
    mistakes: {
      "by the clock of UTC": {
        act: meet(
          { ...DEPLOY, ...calendar.timed("2026-03-11T12:00", "2026-03-11T12:15", "UTC") },
          "samir.patel",
        ),
        failure: none("calendar_events"),
      },
      "with another Sam": {
        act: meet(DEPLOY, "sam.rivera"),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "plan: who decided": {
    solution: meet(REVIEW, "maya.chen", "priya.nair"),
    viaTools: meeting(
      REVIEW.summary,
      calendar.span("2026-03-16T15:00", "2026-03-16T16:00"),
      ...["maya.chen", "priya.nair"],
    ),
    mistakes: {
      "the one who switched the cache on": {
        act: meet(REVIEW, "maya.chen", "tom.becker"),
        failure: none("calendar_event_attendees", 3),
      },
      "with the other Maya": {
        act: meet(REVIEW, "maya.cheng", "priya.nair"),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "plan: a deadline": {
    solution: meet(DEADLINE, "maya.cheng"),
    viaTools: meeting(
      DEADLINE.summary,
      { startTime: "2026-03-20T00:00:00Z", endTime: "2026-03-21T00:00:00Z", allDay: true },
      "maya.cheng",
    ),
    mistakes: {
      "on the day of the request": {
        act: meet(
          { ...DEADLINE, start: { date: "2026-02-20" }, end: { date: "2026-02-21" } },
          "maya.cheng",
        ),
        failure: none("calendar_events"),
      },
      "with the one who asked": {
        act: meet(DEADLINE, "dani.okoro"),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "carry: what a customer was offered": {
    solution: commentOn(REPORT, HARROW),
    viaTools: commenting("DATA-13", HARROW),
    mistakes: {
      "on the issue about the data": {
        act: commentOn("Vessel classes", HARROW),
        failure: none("tracker_comments"),
      },
      "another customer": {
        act: commentOn(REPORT, "Castell Freight get it without a charge."),
        failure: none("tracker_comments"),
      },
    },
  },

  "carry: the day before a visit": {
    solution: due("Vessel classes", "2026-03-17"),
    viaTools: (tools) => tracker.save(tools, "DATA-15", { dueDate: "2026-03-17" }),
    mistakes: {
      "the day itself": {
        act: due("Vessel classes", "2026-03-18"),
        failure: none("tracker_issues"),
      },
      "the other visit": {
        act: due("Vessel classes", "2026-03-23"),
        failure: none("tracker_issues"),
      },
    },
  },

  "carry: an invoice as agreed": {
    solution: inMail(mail.forward(INVOICE, at("christine.parks"))),
    viaTools: mail.passOn(INVOICE, at("christine.parks")),
    mistakes: {
      "a question instead": {
        act: tell("christine.parks", "VesselDB", "Are 900 right?"),
        failure: none("mail_messages"),
      },
      "to Chris": {
        act: inMail(mail.forward(INVOICE, at("chris.park"))),
        failure: none("mail_messages"),
      },
    },
  },

  "carry: a ticket that is done": {
    solution: reactTo("#4561"),
    viaTools: async (tools) => {
      const channel_id = await chat.channelBy(tools, "support");
      const message_ts = await chat.tsOf(tools, channel_id, "#4561");
      await tools("slack_add_reaction", { channel_id, message_ts, emoji: "white_check_mark" });
    },
    mistakes: {
      "on all three": {
        act: both(reactTo("#4561"), reactTo("#4563"), reactTo("#4570")),
        failure: unexpected("chat_reactions"),
      },
      "with another emoji": { act: reactTo("#4561", "tada"), failure: none("chat_reactions") },
    },
  },

  "carry: somebody has begun": {
    solution: moveTo("Invitation goes to the old", "Tidewater", "In Progress"),
    viaTools: (tools) => tracker.save(tools, "TIDE-52", { state: "In Progress" }),
    mistakes: {
      "it is done": {
        act: moveTo("Invitation goes to the old", "Tidewater", "Done"),
        failure: none("tracker_issues"),
      },
      "the other ticket": {
        act: moveTo("Names with umlauts", "Tidewater", "In Progress"),
        failure: none("tracker_issues"),
      },
    },
  },

  "carry: when the demo is": {
    solution: postIn("engineering", DEMO),
    viaTools: postBy("engineering", DEMO),
    mistakes: {
      "as the topic says": {
        act: postIn("engineering", "The demo of the whole of Tidewater begins at 14:00 CET."),
        failure: none("chat_messages"),
      },
      "in #tidewater": { act: postIn("tidewater", DEMO), failure: none("chat_messages") },
    },
  },

  "tell: the counsel": {
    solution: tell("alexandra.moran", "EU-121", MISSING),
    viaTools: telling("alexandra.moran", "EU-121", MISSING),
    mistakes: {
      "the almost namesake": {
        act: tell("alex.morgan", "EU-121", MISSING),
        failure: none("mail_messages"),
      },
      "the one who asked": {
        act: tell("dani.okoro", "EU-121", MISSING),
        failure: none("mail_messages"),
      },
    },
  },

  "tell: whose keys are left": {
    solution: tell("daniel.okafor", "Keys", THREE),
    viaTools: telling("daniel.okafor", "Keys", THREE),
    mistakes: {
      "the almost namesake": {
        act: tell("dani.okoro", "Keys", THREE),
        failure: none("mail_messages"),
      },
      "in the channel": { act: postIn("security", THREE), failure: none("mail_messages") },
    },
  },

  "tell: how far the certificates are": {
    solution: sayTo(TOM, "8 of 11"),
    viaTools: (tools) => chat.say(tools, TOM, "8 of 11"),
    mistakes: {
      "those that are missing": { act: sayTo(TOM, "3 of 11"), failure: none("chat_messages") },
      "to Sam": { act: sayTo("D02AGENTSAM", "8 of 11"), failure: none("chat_messages") },
    },
  },

  "tell: what a colleague has written": {
    solution: answerIn(OUT, "#4561"),
    viaTools: replyBy("#4561", OUT),
    mistakes: {
      "the time of the mail": {
        act: answerIn("The fix is out since 11:05 UTC.", "#4561"),
        failure: none("chat_messages"),
      },
      "outside of the thread": { act: postIn("support", OUT), failure: none("chat_messages") },
    },
  },

  "tell: the owner of a customer": {
    solution: tell("alex.morgan", "Meridian Feeder", SLOW),
    viaTools: telling("alex.morgan", "Meridian Feeder", SLOW),
    mistakes: {
      "the almost namesake": {
        act: tell("alexandra.moran", "Meridian Feeder", SLOW),
        failure: none("mail_messages"),
      },
      "the customer": {
        act: tell("ingrid.aas@meridian-feeder.test", "Meridian Feeder", SLOW),
        failure: none("mail_messages"),
      },
    },
  },

  "tell: not yet": {
    solution: sayTo(MAYA, "Not yet."),
    viaTools: (tools) => chat.say(tools, MAYA, "Not yet."),
    mistakes: {
      "in the channel": { act: postIn("tidewater", "Not yet."), failure: none("chat_messages") },
      "numbers from elsewhere": {
        act: postIn("tidewater", "96 carriers signed in."),
        failure: none("chat_messages"),
      },
    },
  },

  "rules: the freeze is not over": {
    solution: commentOn("Slow list", WAITS),
    viaTools: commenting("TIDE-49", WAITS),
    mistakes: {
      "it is done": {
        act: moveTo("Slow list", "Tidewater", "Done"),
        failure: none("tracker_comments"),
      },
      both: {
        act: both(commentOn("Slow list", WAITS), moveTo("Slow list", "Tidewater", "Done")),
        failure: "closed_world tracker_issues has an unexpected changed row",
      },
    },
  },

  "rules: who sees it first": {
    solution: tell("alexandra.moran", TO_UMBER, FORMAT),
    viaTools: telling("alexandra.moran", TO_UMBER, FORMAT),
    mistakes: {
      "to the customer directly": {
        act: tell("george@umber.test", TO_UMBER, FORMAT),
        failure: none("mail_messages"),
      },
      "both of them": {
        act: both(
          tell("alexandra.moran", TO_UMBER, FORMAT),
          tell("george@umber.test", TO_UMBER, FORMAT),
        ),
        failure: unexpected("mail_messages"),
      },
    },
  },

  "rules: an objection": {
    solution: moveTo("Retire port-a", "Platform", "Todo"),
    viaTools: (tools) => tracker.save(tools, "PLAT-39", { state: "Todo" }),
    mistakes: {
      "it is done": {
        act: moveTo("Retire port-a", "Platform", "Done"),
        failure: none("tracker_issues"),
      },
      "the issue that blocks it": {
        act: moveTo("Antwerp resolves", "Platform", "Todo"),
        failure: none("tracker_issues"),
      },
    },
  },

  "answer: is the gap filled": {
    solution: answerBy(GAP, SINCE),
    viaTools: mail.replyTo(GAP, SINCE),
    mistakes: {
      "without a look at the tracker": {
        act: answerBy(GAP, "I ask."),
        failure: none("mail_messages"),
      },
      "a mail of its own": {
        act: tell("petra.lind@harrow.test", "Is the gap of February filled?", SINCE),
        failure: none("mail_messages"),
      },
    },
  },

  "plan: a certificate that expires": {
    solution: dayFor("Certificate of Rotterdam", 28, "omar.haddad"),
    viaTools: dayBy("Certificate of Rotterdam", 28, "omar.haddad"),
    mistakes: {
      "when the renewal is due": {
        act: dayFor("Certificate of Rotterdam", 13, "omar.haddad"),
        failure: none("calendar_events"),
      },
      "with the one of the ports": {
        act: dayFor("Certificate of Rotterdam", 28, "sam.rivera"),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "plan: a renewal": {
    solution: dayFor("Renewal", 31, "alex.morgan"),
    viaTools: dayBy("Renewal", 31, "alex.morgan"),
    mistakes: {
      "of the one before": {
        act: dayFor("Renewal", 15, "alex.morgan"),
        failure: none("calendar_events"),
      },
      "with the one who sold it": {
        act: dayFor("Renewal", 31, "samantha.ribeiro"),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "plan: a day for a colleague": {
    solution: both(dayFor("Profiling", 17, "chris.park"), due("profiling", "2026-03-17")),
    viaTools: allBy(dayBy("Profiling", 17, "chris.park"), (tools) =>
      tracker.save(tools, "PLAT-38", { dueDate: "2026-03-17" }),
    ),
    mistakes: {
      "without the issue": {
        act: dayFor("Profiling", 17, "chris.park"),
        failure: none("tracker_issues", 3),
      },
      "with Kris": {
        act: both(dayFor("Profiling", 17, "kris.parker"), due("profiling", "2026-03-17")),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "plan: the three keys": {
    solution: both(meet(KEYS, "daniel.okafor"), due("Keys of Daniel", "2026-03-13")),
    viaTools: allBy(
      meeting("Keys", calendar.span("2026-03-13T09:00", "2026-03-13T09:15"), "daniel.okafor"),
      (tools) => tracker.save(tools, "SEC-8", { dueDate: "2026-03-13" }),
    ),
    mistakes: {
      "the issue about all keys": {
        act: both(meet(KEYS, "daniel.okafor"), due("Rotate all", "2026-03-13")),
        failure: none("tracker_issues", 3),
      },
      "with the almost namesake": {
        act: both(meet(KEYS, "dani.okoro"), due("Keys of Daniel", "2026-03-13")),
        failure: none("calendar_event_attendees", 2),
      },
    },
  },

  "several: an umlaut": {
    solution: both(answerBy(BERND, TRY), answerIn("It is done.", "#4561")),
    viaTools: allBy(mail.replyTo(BERND, TRY), replyBy("#4561", "It is done.")),
    mistakes: {
      "only the customer": { act: answerBy(BERND, TRY), failure: none("chat_messages", 2) },
      "under another ticket": {
        act: both(answerBy(BERND, TRY), answerIn("It is done.", "#4563")),
        failure: none("chat_messages", 2),
      },
    },
  },

  "several: a slow list": {
    solution: both(answerIn("TIDE-49"), answerBy(INGRID, "The fix comes today.")),
    viaTools: allBy(replyBy(QUESTION, "TIDE-49"), mail.replyTo(INGRID, "The fix comes today.")),
    mistakes: {
      "the incident": {
        act: both(answerIn("PLAT-43"), answerBy(INGRID, "The fix comes today.")),
        failure: none("chat_messages"),
      },
      "only the colleague": { act: answerIn("TIDE-49"), failure: none("mail_messages", 2) },
    },
  },

  "several: a swap": {
    solution: both(
      tell("priya.nair", "On call", SWAP),
      dayFor("Swap", 23, "sam.rivera", "tom.becker"),
    ),
    viaTools: allBy(
      telling("priya.nair", "On call", SWAP),
      dayBy("Swap", 23, "sam.rivera", "tom.becker"),
    ),
    mistakes: {
      "the contractor": {
        act: both(
          tell("priya.nair", "On call", SWAP),
          inCalendar(
            calendar.create({
              ...dayOf("Swap", 23),
              ...calendar.guests(at("sam.rivera"), BECK),
            }),
          ),
        ),
        failure: none("calendar_event_attendees", 4),
      },
      "to the almost namesake": {
        act: both(
          tell("priyanka.nayar", "On call", SWAP),
          dayFor("Swap", 23, "sam.rivera", "tom.becker"),
        ),
        failure: none("mail_messages"),
      },
    },
  },

  "several: an export": {
    solution: both(
      commentOn("Umber", "Asked again on 6 March."),
      answerIn("They have asked again.", "#4490"),
    ),
    viaTools: allBy(
      commenting("PLAT-27", "Asked again on 6 March."),
      replyBy("#4490", "They have asked again."),
    ),
    mistakes: {
      "the day of the first mail": {
        act: both(
          commentOn("Umber", "Asked again on 18 February."),
          answerIn("They have asked again.", "#4490"),
        ),
        failure: none("tracker_comments"),
      },
      "a message of its own": {
        act: both(
          commentOn("Umber", "Asked again on 6 March."),
          postIn("support", "They have asked again."),
        ),
        failure: none("chat_messages", 2),
      },
    },
  },

  "several: a visit": {
    solution: both(postIn("customer-success", VISIT), commentOn(REPORT, ASK)),
    viaTools: allBy(postBy("customer-success", VISIT), commenting("DATA-13", ASK)),
    mistakes: {
      "the other visit": {
        act: both(
          postIn("customer-success", "Harrow visit us on 24 March, 11:00."),
          commentOn(REPORT, ASK),
        ),
        failure: none("chat_messages"),
      },
      "on the issue about the data": {
        act: both(postIn("customer-success", VISIT), commentOn("Vessel classes", ASK)),
        failure: none("tracker_comments", 2),
      },
    },
  },

  "several: a port": {
    solution: both(commentOn("Antwerp resolves", MOVED), tell(BECK, "Antwerp", MOVED)),
    viaTools: allBy(commenting("PLAT-40", MOVED), (tools) =>
      tools("send_message", { to: [BECK], subject: "Antwerp", body: MOVED }),
    ),
    mistakes: {
      "on the blocked issue": {
        act: both(commentOn("Retire port-a", MOVED), tell(BECK, "Antwerp", MOVED)),
        failure: none("tracker_comments"),
      },
      "to Tom Becker": {
        act: both(commentOn("Antwerp resolves", MOVED), tell("tom.becker", "Antwerp", MOVED)),
        failure: none("mail_messages", 2),
      },
    },
  },

  "several: what is due this week": {
    solution: both(postIn("security", "SEC-6"), dayFor(RENEW, 13, "omar.haddad")),
    viaTools: allBy(
      (tools) => chat.say(tools, "C19SECURITY", "SEC-6"),
      dayBy(RENEW, 13, "omar.haddad"),
    ),
    mistakes: {
      "one of its parts": {
        act: both(
          postIn("security", "SEC-11"),
          dayFor("Certificate of Antwerp", 13, "omar.haddad"),
        ),
        failure: none("chat_messages"),
      },
      "in the open": {
        act: both(postIn("platform", "SEC-6"), dayFor(RENEW, 13, "omar.haddad")),
        failure: none("chat_messages"),
      },
    },
  },

  "file: a certificate of which nobody knew": {
    solution: certificate({}),
    viaTools: (tools) =>
      tracker.save(tools, undefined, {
        ...{ title: "Certificate of Rotterdam", team: "Security", state: "Todo" },
        ...{ parentId: "SEC-6", dueDate: "2026-03-28" },
      }),
    mistakes: {
      "beside the others": {
        act: certificate({ parentId: undefined }),
        failure: none("tracker_issues"),
      },
      "due with the others": {
        act: certificate({ dueDate: "2026-03-13" }),
        failure: none("tracker_issues"),
      },
    },
  },
};
