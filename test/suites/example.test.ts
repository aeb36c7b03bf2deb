/** The harness itself, on a suite of three small tests. */
import example from "../platform/suites/example.yaml";
import { proveSuite } from "./harness";

const [GENERAL, RANDOM] = ["C01GENERAL", "C02RANDOM"];
const LUNCH = { channel: RANDOM, ts: "1767607800.000300" };
const INTRODUCTION = { channel: GENERAL, timestamp: "1767604200.000200" };

proveSuite(example, {
  "Post to a channel": {
    solution: ({ chat }) => chat.chat.postMessage({ channel: RANDOM, text: "Lunch is served" }),
    mistakes: {
      "the wrong channel": {
        act: ({ chat }) => chat.chat.postMessage({ channel: GENERAL, text: "Lunch is served" }),
        failures: [
          "assertion#1 messages expected count 1 but got 0",
          /^closed_world messages has an unexpected added row \{"channel_id":"C01GENERAL"/,
        ],
      },
      "posting it twice": {
        async act({ chat }) {
          for (const text of ["Lunch is served", "Lunch is served"])
            await chat.chat.postMessage({ channel: RANDOM, text });
        },
        failures: ["assertion#1 messages expected count 1 but got 2"],
      },
      "answering in a thread": {
        act: ({ chat }) =>
          chat.chat.postMessage({ channel: RANDOM, text: "Lunch is served", thread_ts: LUNCH.ts }),
        failures: ["assertion#1 messages expected count 1 but got 0", /^closed_world messages /],
      },
    },
  },

  "Correct a message of one's own": {
    solution: ({ chat }) =>
      chat.chat.update({ ...LUNCH, text: "I am ordering lunch for Thursday. Who is in?" }),
    mistakes: {
      "posting the correction as a new message": {
        act: ({ chat }) =>
          chat.chat.postMessage({
            channel: RANDOM,
            text: "I am ordering lunch for Thursday. Who is in?",
          }),
        failures: ["assertion#1 messages expected count 1 but got 0", /^closed_world messages /],
      },
      "changing more than the day": {
        act: ({ chat }) => chat.chat.update({ ...LUNCH, text: "Lunch on Thursday. Who is in?" }),
        failures: [
          "assertion#1 messages expected count 1 but got 0",
          /^closed_world messages has an unexpected changed row .* in text/,
        ],
      },
    },
  },

  "React to a colleague": {
    solution: ({ chat }) => chat.reactions.add({ ...INTRODUCTION, name: "tada" }),
    mistakes: {
      "taking back the other reaction": {
        async act({ chat }) {
          await chat.reactions.remove({ ...INTRODUCTION, name: "eyes" });
          await chat.reactions.add({ ...INTRODUCTION, name: "tada" });
        },
        failures: [
          "assertion#2 reactions expected count 1 but got 0",
          /^closed_world reactions has an unexpected removed row /,
        ],
      },
      "reacting to somebody else": {
        act: ({ chat }) =>
          chat.reactions.add({ channel: GENERAL, timestamp: "1767603600.000100", name: "tada" }),
        failures: ["assertion#1 reactions expected count 1 but got 0", /^closed_world reactions /],
      },
    },
  },
});
