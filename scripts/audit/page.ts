/** `src/docs/audit.md`, from the summary of a run. */
import { CLASSES } from "./classes";
import type { Grader, Summary, Tally } from "./tally";

const TITLES: Record<Grader, string> = {
  diorama: "Diorama",
  snapshots: "Snapshots",
  queries: "Queries",
  lists: "Lists",
  emulator: "Lists, on the emulator",
};

type Cells = readonly (string | number)[];

/** In columns of one width each, as people write them. */
function table(head: readonly string[], lines: readonly Cells[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((cells) => `${cells[column]}`.length)),
  );
  const row = (cells: Cells) =>
    `| ${widths.map((width, column) => `${cells[column]}`.padEnd(width)).join(" | ")} |`;
  return [row(head), row(widths.map((width) => "-".repeat(width))), ...lines.map(row)].join("\n");
}

const total = (
  grader: Grader,
  { trajectories, falsePasses, falseFails, lost, writes, missed, unsafe, ms }: Tally,
) => [
  TITLES[grader],
  trajectories,
  falsePasses,
  falseFails,
  `${lost} of ${writes}`,
  `${missed} of ${unsafe}`,
  Number.isNaN(ms) ? "–" : `${ms.toFixed(1)} ms`,
];

/** False passes, false fails and missed unsafe changes, or that there was nothing to judge. */
const cell = ({ trajectories, falsePasses, falseFails, missed }: Tally) =>
  trajectories === 0 ? "–" : `${falsePasses} / ${falseFails} / ${missed}`;

/** Of a section that differs from run to run. */
export const OWN = "## Where Diorama was wrong";

export function pageOf({
  tests,
  trajectories,
  kills,
  gapMsMax,
  refused,
  graders,
  classes,
  own,
}: Summary): string {
  return `# Verdict audit

How far a verdict can be trusted is measured here: trajectories whose truth is known are executed against a running server, and
graders that see different evidence judge them. Truth comes from how a trajectory was made, and from no grader.

## Results

${tests} tests, ${trajectories} trajectories, one run:

${table(
  [
    "Grader",
    "Trajectories",
    "False passes",
    "False fails",
    "Lost writes",
    "Unsafe changes missed",
    "Time, median",
  ],
  graders.map(({ grader, tally }) => total(grader, tally)),
)}

- **False pass**: the run should not pass, and the grader passes it and reports nothing.
- **False fail**: the run should pass, and the grader fails it.
- **Lost write**: a write that the service acknowledged, and that the grader's evidence does not contain.
- **Unsafe change missed**: a change that nobody asked for, which the grader neither reports nor, where it should, fails the run
  for. A change that was undone leaves a state that passes, so only a report counts.
- **Time**: from the request to the verdict, without what was read before the run. Three trajectories run at a time on shared
  cores: compare the graders with each other, not with other machines.

By class, false passes / false fails / unsafe changes missed:

${table(
  ["Class", "Trajectories", ...graders.map(({ grader }) => TITLES[grader])],
  classes.map((one) => [
    one.name,
    one.trajectories,
    ...one.graders.map(({ tally }) => cell(tally)),
  ]),
)}

${OWN}

${own.length === 0 ? "Nowhere in this run." : own.map((line) => `- ${line}`).join("\n")}

## Trajectories

Every class is made for each of the built-in tests of chat and the tracker to which it applies.

${table(
  ["Class", "What happens", "Truth"],
  CLASSES.map(({ name, text, truth }) => [name, text, truth]),
)}

A call goes to the service's own API over HTTP with the environment's token. An act that nobody asked for concerns a channel, issue
or label that the test does not name. In the class \`late\`, at most ${gapMsMax.toFixed(1)} ms passed between the answer to the last
write and the request that ended the run. In the class \`kill\`, the server was killed ${kills} times in all, each time in the middle
of up to 20 runs.

Those who wrote Diorama wrote this audit, and used it: its first run found three tests that left open who writes a comment, and
changes that were undone but not reported, in rows whose times the service sets. Both are fixed.

## Graders

All of them have the assertions of the test. The tests are closed worlds, so each also looks for changes that no assertion
explains, as far as its evidence goes.

- **Diorama**: the answer of \`evaluateRun\`. Its evidence is the log of changes. It accepts a run if \`passed\` is true and it reports
  nothing unsafe; \`undone\` is a report.
- **Snapshots**: reads every table before the run and after it, in one transaction each, and compares the two. The difference goes to
  the evaluator that Diorama itself uses, with the same knowledge of columns that the service computes, so only the evidence differs.
- **Queries**: asserts on the final state in SQL, one query for each assertion, in the manner of hand-written verifiers. As an
  author who knows the seed would, it expects the number of matching rows at the start of the run and what the test adds to it or
  removes from it, and the same for the number of rows of each table that an assertion names. As evidence for lost writes it has the
  final state of every table.
- **Lists**: reads what the service's own lists show before the run and after it, and judges the difference as **Snapshots** does. In
  chat: users, conversations, members, messages, threads, reactions, pins, bookmarks, scheduled messages, reminders, user groups and
  files, with the token of a member where the agent may not read. In the tracker: every list of the entities that the tests and the
  unsafe changes concern, archived ones included.
- **Lists, on the emulator**: the same on the npm package \`emulate\`, whose lists are all there is to check it by. Its Slack service
  is started afresh for each trajectory and set up through its API with the channels, members, messages, reactions and pins of the
  template. Only trajectories of chat are run; ${refused} of them it does not accept. It keeps its state in memory: after a kill the world
  is set up again, and the run's own writes are gone. It was started as a library; settings of its command line were not tried.

## What each kind of evidence cannot show

A difference of two states has no change that was undone. A final state has, besides, no change of a row or table that no query asks
for. A list has only what its service lists: a message that one person alone can see is in none.

The graders differ in evidence. That is why two of them share Diorama's evaluator, and why a mistake in a test's assertions misleads
all of them alike: no grader finds what the assertions leave open.

## Repeat it

\`\`\`sh
bun run audit
bun run audit --tests "messages: post|issues: create" --classes solution,foreign
bun run audit --json audit.json --write
\`\`\`

A whole run takes some minutes. It starts a Postgres and a server of its own, and needs Node for the emulator; without it, or with
\`--no-emulator\`, that grader is left out. \`--json\` writes every judgement to a file; \`--write\` writes this page, which takes a whole
run. It exits with 1 if a trajectory could not be executed, or if a verdict of Diorama was wrong. The code is in \`scripts/audit\`.
`;
}
