/** The hand-written pages, which GitHub shows directly. */
import acting from "~/docs/acting.md" with { type: "text" };
import attacks from "~/docs/attacks.md" with { type: "text" };
import audit from "~/docs/audit.md" with { type: "text" };
import backup from "~/docs/backup.md" with { type: "text" };
import benchmarks from "~/docs/benchmarks.md" with { type: "text" };
import bots from "~/docs/bots.md" with { type: "text" };
import calendar from "~/docs/calendar.md" with { type: "text" };
import checkpoints from "~/docs/checkpoints.md" with { type: "text" };
import ci from "~/docs/ci.md" with { type: "text" };
import clients from "~/docs/clients.md" with { type: "text" };
import console from "~/docs/console.md" with { type: "text" };
import control from "~/docs/control.md" with { type: "text" };
import counterparts from "~/docs/counterparts.md" with { type: "text" };
import decisions from "~/docs/decisions.md" with { type: "text" };
import evaluate from "~/docs/evaluate.md" with { type: "text" };
import events from "~/docs/events.md" with { type: "text" };
import faults from "~/docs/faults.md" with { type: "text" };
import figures from "~/docs/figures.md" with { type: "text" };
import firstSteps from "~/docs/first-steps.md" with { type: "text" };
import harborline from "~/docs/harborline.md" with { type: "text" };
import harnesses from "~/docs/harnesses.md" with { type: "text" };
import howItWorks from "~/docs/how-it-works.md" with { type: "text" };
import kubernetes from "~/docs/kubernetes.md" with { type: "text" };
import limits from "~/docs/limits.md" with { type: "text" };
import look from "~/docs/look.md" with { type: "text" };
import mail from "~/docs/mail.md" with { type: "text" };
import mcp from "~/docs/mcp.md" with { type: "text" };
import operations from "~/docs/operations.md" with { type: "text" };
import performance from "~/docs/performance.md" with { type: "text" };
import postgres from "~/docs/postgres.md" with { type: "text" };
import promises from "~/docs/promises.md" with { type: "text" };
import guideIndex from "~/docs/README.md" with { type: "text" };
import scale from "~/docs/scale.md" with { type: "text" };
import severalServers from "~/docs/several-servers.md" with { type: "text" };
import suites from "~/docs/suites.md" with { type: "text" };
import templates from "~/docs/templates.md" with { type: "text" };
import train from "~/docs/train.md" with { type: "text" };
import webhooks from "~/docs/webhooks.md" with { type: "text" };
import worlds from "~/docs/worlds.md" with { type: "text" };

const PAGES: ReadonlyMap<string, string> = new Map([
  ["first-steps", firstSteps],
  ["clients", clients],
  ["mcp", mcp],
  ["evaluate", evaluate],
  ["ci", ci],
  ["harnesses", harnesses],
  ["train", train],
  ["checkpoints", checkpoints],
  ["how-it-works", howItWorks],
  ["templates", templates],
  ["worlds", worlds],
  ["harborline", harborline],
  ["mail", mail],
  ["calendar", calendar],
  ["benchmarks", benchmarks],
  ["attacks", attacks],
  ["suites", suites],
  ["control", control],
  ["faults", faults],
  ["bots", bots],
  ["acting", acting],
  ["webhooks", webhooks],
  ["counterparts", counterparts],
  ["console", console],
  ["events", events],
  ["limits", limits],
  ["postgres", postgres],
  ["operations", operations],
  ["backup", backup],
  ["several-servers", severalServers],
  ["scale", scale],
  ["kubernetes", kubernetes],
  ["promises", promises],
  ["decisions", decisions],
  ["audit", audit],
  ["figures", figures],
  ["performance", performance],
  ["look", look],
]);

/** The index page. */
export const GUIDE_INDEX: string = guideIndex;

export type Group = {
  readonly title: string;
  /** By name, in reading order. */
  readonly pages: ReadonlyMap<string, string>;
};

const GROUP = /^(.+):\n\n((?:- .+\n)+)/gm;

/** The groups of the index page. Throws for a link to a page that does not exist. */
export const GROUPS: readonly Group[] = [...GUIDE_INDEX.matchAll(GROUP)].map(
  ([, title = "", list = ""]) => ({
    title: title.replace(/ here$/, ""),
    pages: new Map(
      [...list.matchAll(/^- \[[^\]]+\]\(([a-z-]+)\.md\)/gm)].map(([, name = ""]) => {
        const page = PAGES.get(name);
        if (page === undefined) throw new Error(`The index names ${name}.md, which is no page`);
        return [name, page];
      }),
    ),
  }),
);

/** By name, in reading order. */
export const GUIDE: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap(({ pages }) => [...pages]),
);
