/** Linear's own importer, unmodified and in a terminal: the issues that arrive are those of the file. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canReplaceHosts } from "~/commands/intercept/environment";
import { useSharedDatabase } from "../support/database";
import { nodePackages } from "../support/packages";
import { inTerminal } from "../support/terminal";
import { ENG, useTracker } from "../support/tracker";

const MINUTES = 60_000;
const ROOT = join(import.meta.dir, "../..");
const ENTER = "\r";
const DOWN = "\u001b[B";
const tracker = useTracker(useSharedDatabase());
let importer = "";
let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "diorama-"));
  const folder = await nodePackages("@linear/import@3.2.14");
  importer = join(folder, "node_modules/@linear/import/bin/linear-import.cjs");
}, 5 * MINUTES);
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs the importer beside one file, and answers its questions in their order. */
async function importFile(
  [name, content]: readonly [name: string, content: string],
  command: readonly string[],
  env: Record<string, string>,
  answers: readonly (readonly [question: string, keys: string])[],
): Promise<string> {
  // The importer lists the files of its folder: this is the first.
  const folder = await mkdtemp(join(home, "import-"));
  await Bun.write(join(folder, name), content);
  await using terminal = inTerminal(command, folder, env);
  for (const [question, keys] of answers) {
    await terminal.shows(question, 60);
    terminal.type(keys);
  }
  const code = await terminal.exited;
  expect({ code, screen: terminal.screen() }).toMatchObject({ code: 0 });
  return Bun.stripANSI(terminal.screen());
}

const csv = (rows: readonly Record<string, string | number>[]) =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.map((cell) => `"${`${cell}`.replaceAll('"', '""')}"`).join(","))
    .join("\n");

/** The issues of a team above a number, with names for what they refer to. */
async function issuesOf(team: string, above = 0) {
  const { issues } = await tracker.data(
    `query($team: String!, $above: Float!) {
      issues(first: 50, includeArchived: true, filter: {
        team: { name: { eq: $team } }, number: { gt: $above }
      }) {
        nodes {
          number title description priority estimate createdAt completedAt dueDate archivedAt
          state { name type } assignee { email } project { name }
          labels(first: 5) { nodes { name parent { name } } }
        }
      }
    }`,
    { team, above },
  );
  return issues.nodes
    .toSorted((a: any, b: any) => a.number - b.number)
    .map(({ number: _, labels, ...issue }: any) => ({
      ...issue,
      state: `${issue.state.name}: ${issue.state.type}`,
      assignee: issue.assignee?.email ?? null,
      project: issue.project?.name ?? null,
      labels: labels.nodes
        .map(({ name, parent }: any) => (parent ? `${parent.name} > ${name}` : name))
        .toSorted(),
    }));
}

const EMPTY = {
  ...{ description: null, priority: 0, estimate: null, completedAt: null, dueDate: null },
  ...{ archivedAt: null, assignee: null, project: null, labels: [] },
};
const day = (n: number) => `2026-01-${`${(n % 28) + 1}`.padStart(2, "0")}`;
/** One of the choices, by turns. */
const nth = <T>(choices: readonly T[], n: number): T => choices[n % choices.length] as T;

test(
  "Linear's CSV arrives in a new team, with its groups of labels and the states that were missing",
  async () => {
    const statuses = [
      ["Backlog", "Backlog: backlog"],
      ["todo", "Todo: unstarted"],
      ["In Progress", "In Progress: started"],
      ["Done", "Done: completed"],
      ["Canceled", "Canceled: canceled"],
      ["QA", "QA: started"],
      ["Someday", "Someday: backlog"],
    ] as const;
    const people = [
      ["", null],
      ["robin@acme.test", "robin@acme.test"],
      ["Robin@Acme.test", "robin@acme.test"],
      ["agent smith", "agent@acme.test"],
      ["stranger@acme.test", null],
    ] as const;
    // An issue has one label of a group: the importer makes the second one a label without a group.
    const labels = [
      ["", []],
      ["Bug", ["Bug"]],
      ["Area/API, Bug", ["Area > API", "Bug"]],
      ["Area/API, Area/UI", ["Area > API", "Area/UI"]],
      ["Area/UI", ["Area/UI"]],
    ] as const;
    const rows = Array.from({ length: 36 }, (_, n) => ({
      Title: n === 3 ? "'=SUM(A1)" : `Issue ${n}, "quoted"`,
      Description: `First line\n\n* item ${n}`,
      Status: nth(statuses, n)[0],
      Estimate: nth(["", 2, 3], n),
      Priority: nth(["No priority", "Urgent", "High", "Medium", "Low"], n),
      Assignee: nth(people, n)[0],
      Labels: nth(labels, n)[0],
      Created: `${day(n)}T10:00:00.000Z`,
      Started: nth(statuses, n)[0] === "QA" ? "2026-01-30T10:00:00.000Z" : "",
      Completed: nth(statuses, n)[0] === "Done" ? "2026-01-30T12:00:00.000Z" : "",
      Archived: n === 5 ? "2026-02-01T12:00:00.000Z" : "",
    }));

    const screen = await importFile(
      ["linear.csv", csv(rows)],
      ["node", importer, "--importer", "linearCsv", "--apiUrl", tracker.url],
      { LINEAR_API_KEY: tracker.key },
      [
        ["Select your exported CSV file of Linear issues", ENTER],
        ["create a new team", `y${ENTER}`],
        ["Name of the team", `Moved${ENTER}`],
        ["assign these issues to yourself", `n${ENTER}`],
        ["Assign to user", ENTER],
      ],
    );

    expect(screen).toContain("imported to your team: https://linear.app/team/MOV/all");
    const arrived = await issuesOf("Moved");
    expect(arrived).toHaveLength(35);
    expect(arrived).toEqual(
      rows
        .map((row, n) => ({
          ...EMPTY,
          title: n === 3 ? "=SUM(A1)" : row.Title,
          description: row.Description,
          state: nth(statuses, n)[1],
          estimate: nth([null, 2, 3], n),
          priority: n % 5,
          assignee: nth(people, n)[1],
          labels: nth(labels, n)[1],
          createdAt: row.Created,
          completedAt: row.Completed || null,
        }))
        .filter((_, n) => n !== 5),
    );
  },
  MINUTES,
);

describe.skipIf(!canReplaceHosts())("behind `diorama intercept`", () => {
  const intercept = () => [
    ...["bun", join(ROOT, "src/main.ts"), "intercept", "--via", "hosts"],
    ...["--service-url", tracker.url.replace(/\/graphql$/, ""), "--token", tracker.key],
    ...["--", "node", importer],
  ];

  test(
    "Asana's CSV arrives in a project of a team",
    async () => {
      await tracker.linear.createProject({ name: "Migration", teamIds: [ENG] });
      const rows = Array.from({ length: 32 }, (_, n) => ({
        "Task ID": 1000 + n,
        "Created At": day(n),
        "Completed At": n % 4 === 0 ? "2026-01-30" : "",
        Name: `Task ${n}`,
        Assignee: nth(["John Doe", "robin@acme.test", "", "Nobody"], n),
        "Due Date": n % 3 === 0 ? "2026-03-15" : "",
        Tags: nth(["", "Bug", "design,Bug"], n),
        Notes: `*Bold* note ${n}`,
        Priority: nth(["High", "Med", "Low", ""], n),
      }));
      const before = (await issuesOf("Engineering")).length;

      const screen = await importFile(
        ["asana.csv", csv(rows)],
        intercept(),
        // The importer writes a due date in the time zone of the machine.
        { LINEAR_API_KEY: "lin_api_made_up", TZ: "UTC" },
        [
          ["Which service", `${DOWN.repeat(3)}${ENTER}`],
          ["Select your exported CSV file of Asana issues", ENTER],
          ["Input the URL of your Asana board", `https://app.asana.com/0/42/list${ENTER}`],
          ["create a new team", `n${ENTER}`],
          ["Import into team", `${DOWN}${ENTER}`],
          ["import to a specific project", `y${ENTER}`],
          ["Import into project", ENTER],
          ["assign these issues to yourself", `n${ENTER}`],
          ["Assign to user", ENTER],
        ],
      );

      expect(screen).toContain("imported to your team: https://linear.app/team/ENG/all");
      expect(await issuesOf("Engineering", before)).toEqual(
        rows.map((row, n) => ({
          ...EMPTY,
          title: row.Name,
          description: `**Bold** note ${n}\n\n[View original issue in Asana](https://app.asana.com/0/42/${1000 + n})`,
          state: n % 4 === 0 ? "Done: completed" : "Todo: unstarted",
          priority: nth([2, 3, 4, 0], n),
          assignee: nth(["john@acme.test", "robin@acme.test", null, null], n),
          project: "Migration",
          labels: nth([[], ["Bug"], ["Bug", "design"]], n),
          createdAt: `${day(n)}T00:00:00.000Z`,
          completedAt: n % 4 === 0 ? "2026-01-30T00:00:00.000Z" : null,
          dueDate: row["Due Date"] || null,
        })),
      );
    },
    MINUTES,
  );

  test(
    "Trello's JSON arrives with comments and archived cards, assigned to the viewer",
    async () => {
      const lists = [
        { id: "l1", name: "To Do", closed: false },
        { id: "l2", name: "Done", closed: false },
      ];
      const labels = [
        { id: "r", name: "Urgent", color: "red" },
        { id: "g", name: "", color: "green" },
      ];
      const cards = Array.from({ length: 31 }, (_, n) => ({
        id: `c${n}`,
        idShort: n,
        idList: nth(["l1", "l2"], n),
        name: `Card ${n}`,
        desc: n === 1 ? "![shot](https://example.test/a.png)" : `Text ${n}`,
        shortUrl: `https://trello.com/c/${n}`,
        attachments: n === 2 ? [{ name: "plan", url: "https://example.test/plan" }] : [],
        labels: nth([[], [labels[0]], [labels[0], labels[1]]], n),
        closed: n % 10 === 9,
      }));
      const checklists = [
        {
          idCard: "c3",
          checkItems: [
            { name: "second", state: "incomplete", pos: 2 },
            { name: "first", state: "complete", pos: 1 },
          ],
        },
      ];
      const memberCreator = { id: "m", fullName: "Mia", avatarUrl: "" };
      const actions = [0, 30].map((n) => ({
        ...{ type: "commentCard", memberCreator, date: "2026-01-20T09:00:00.000Z" },
        data: { text: `Said of ${n}`, card: { id: `c${n}` } },
      }));

      const screen = await importFile(
        ["trello.json", JSON.stringify({ cards, lists, checklists, actions })],
        intercept(),
        {},
        [
          ["Input your Linear API key", `lin_api_made_up${ENTER}`],
          ["Which service", `${DOWN.repeat(6)}${ENTER}`],
          ["Select your exported JSON file of Trello cards", ENTER],
          ["map Trello lists to statuses", `y${ENTER}`],
          ["discard the archived cards", `n${ENTER}`],
          ["cards within archived lists", `n${ENTER}`],
          ["create a new team", `y${ENTER}`],
          ["Name of the team", ENTER],
          ["include comments", `y${ENTER}`],
          ["assign these issues to yourself", `y${ENTER}`],
        ],
      );

      // The tracker fetches no images from other hosts: the address stays.
      expect(screen).toContain("Failed to replace image");
      const text = (n: number) => {
        if (n === 1) return "\n![shot](https://example.test/a.png)\n";
        if (n === 2) return "Text 2\n\nAttachments:\n[plan](https://example.test/plan)";
        if (n === 3) return "Text 3\n\nChecklists:\n- [x] first\n- [ ] second";
        return `Text ${n}`;
      };
      const said = (n: number) =>
        n % 30 === 0 ? `\n\n---\n\n**Mia** 2026-01-20\n\nSaid of ${n}\n` : "";
      expect(await issuesOf("Trello")).toEqual(
        cards.map(({ name, shortUrl, closed }, n) => ({
          ...EMPTY,
          title: name,
          description: `${text(n)}\n\nTrello Card #${n} | [View original card in Trello](${shortUrl})${said(n)}`,
          state: nth(["To Do: backlog", "Done: completed"], n),
          assignee: "john@acme.test",
          labels: nth([[], ["Urgent"], ["Trello-green", "Urgent"]], n),
          createdAt: expect.any(String),
          completedAt: n % 2 === 1 ? expect.any(String) : null,
          archivedAt: closed ? expect.any(String) : null,
        })),
      );
    },
    MINUTES,
  );
});
