/** The query language of `q`. */
import { beforeAll, expect, test } from "bun:test";
import { type Environment, useScene } from "./scene";

const scene = useScene();
let environment: Environment;
beforeAll(async () => {
  environment = await scene.environment();
});

async function subjectsOf(q: string): Promise<string[]> {
  const found = await scene.get(environment, `messages?q=${encodeURIComponent(q)}`);
  const subjects: string[] = [];
  for (const { id } of found.messages ?? []) {
    const { payload } = await scene.get(environment, `messages/${id}?format=metadata`);
    subjects.push(payload.headers.find(({ name }: any) => name.toLowerCase() === "subject").value);
  }
  return subjects.toSorted();
}

const BUG = "Login fails on Safari (ENG-2)";
const DRAWING = "Login page, second draft";
const COLOURS = "Colours of the login page";
const RECEIPT = "Receipt 2026-0117: 84.00 EUR";
const INVITATION = "Invitation: Login review (Tue 6 Jan 2026, 15:00 UTC)";
const CUSTOMER = "Cannot log in since December";
const NEWS = "The Weekly Byte #412: cookies, again";
const ofPeople = [INVITATION, BUG, DRAWING, `Re: ${BUG}`];

test.each(["has", "in", "is", "category", "label"])(
  "%s: does not take a word that every object has",
  async (operator) => {
    for (const word of ["constructor", "valueOf", "__proto__"])
      expect(await subjectsOf(`${operator}:${word}`)).toEqual([]);
  },
);

test.each([
  ["an operator before a group of choices", "from:{john robin}", ofPeople],
  ["an operator before a group with OR", "from:(john OR robin)", ofPeople],
  [
    "an operator before a group, all of whose words count",
    "subject:(page login)",
    [COLOURS, DRAWING],
  ],
  ["a group that no message fits", "from:(john robin)", []],
  ["OR before AND", "from:tess OR from:billing subject:receipt", [RECEIPT]],
  ["the sign for OR", "from:tess | from:billing", [CUSTOMER, RECEIPT]],
  [
    "a group that is negated",
    "in:inbox -from:(john OR robin) -from:tess has:attachment",
    [RECEIPT],
  ],
  ["a phrase", '"second draft" from:robin', [DRAWING]],
  ["a phrase in another order", '"draft second" from:robin', []],
  ["an address", "from:tess@northwind.test", [CUSTOMER]],
  ["a list", "list:news.weeklybyte.test", [NEWS]],
  ["a file by its ending", "filename:csv", [RECEIPT]],
  ["a label with a slash", "label:projects-login from:robin", [DRAWING]],
  ["a day, which is one of California", "after:2026/1/4 before:2026/1/5 from:john", [INVITATION]],
  ["epoch seconds", "after:1767598200 before:1767598201", [INVITATION]],
  ["operators that are unknown, as words", "nothing:such", []],
])("finds by %s", async (_, q, subjects) => {
  expect(await subjectsOf(q)).toEqual(subjects.toSorted());
});

test.each(["", "login"])(
  "each thread that fits %j is on one page: that of its newest message",
  async (q) => {
    const list = (query: string) =>
      scene.get(environment, `threads?q=${encodeURIComponent(q)}${query}`);
    const { threads } = await list("");
    const paged: object[] = [];
    let token = "";
    do {
      const page = await list(`&maxResults=1&pageToken=${token}`);
      expect(page.threads).toHaveLength(1);
      paged.push(...page.threads);
      token = page.nextPageToken ?? "";
    } while (token !== "");

    expect(paged).toEqual(threads);
    for (const { id, snippet, historyId } of threads) {
      const { messages, historyId: last } = await scene.get(environment, `threads/${id}`);
      expect({ snippet, historyId }).toEqual({ snippet: messages.at(-1).snippet, historyId: last });
    }
  },
);
