/**
 * Every page opens by its address: in light and dark, on a wide and a narrow screen, without a violation of
 * accessibility, and the keyboard reaches everything on it.
 */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { useAccepted } from "../support/appearance";
import { missedByKeyboard, takePicture, violationsOf, waitUntilLoaded } from "../support/browser";
import { assetsOf, SCRIPTS_MAX } from "../support/console";
import { useConsole } from "./console";
import {
  calendarScene,
  chatScene,
  graphql,
  type MailScene,
  mailScene,
  type Scene,
  suiteScene,
  trackerScene,
} from "./scene";

const { program, open } = useConsole();
const accepted = useAccepted("console/accepted.json");

const WIDTHS = [1280, 390];
const SCHEMES = ["light", "dark"] as const;
/** Rules whose result depends on the colours; all others give the same result in every scheme. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

type Case = { readonly name: string; readonly path: () => string; readonly shows: string };
const PAGES: Case[] = [
  { name: "overview", path: () => "", shows: "Newest runs" },
  { name: "environments", path: () => "/environments", shows: "chat_default" },
  { name: "runs", path: () => "/runs", shows: "my-agent" },
  { name: "chat", path: () => `/environments/${chat.environmentId}`, shows: "Welcome to Acme!" },
  { name: "tracker", path: () => `/environments/${tracker.environmentId}`, shows: "ENG-1" },
  {
    name: "tracker-list",
    path: () => `/environments/${tracker.environmentId}?view=list`,
    shows: "ENG-1",
  },
  { name: "issue", path: () => issue, shows: "It is done now" },
  { name: "mail", path: () => `/environments/${mail.environmentId}`, shows: "The Weekly Byte" },
  {
    name: "mail-thread",
    path: () => `/environments/${mail.environmentId}?mail=${mail.threadId}`,
    shows: "To: agent@acme.test, john@acme.test",
  },
  {
    name: "calendar",
    path: () => `/environments/${calendar.environmentId}`,
    shows: "Budget of May",
  },
  {
    name: "calendar-agenda",
    path: () => `/environments/${calendar.environmentId}?view=agenda`,
    shows: "Budget of May",
  },
  {
    name: "calendar-people",
    path: () => `/environments/${calendar.environmentId}?view=people&day=2026-01-07`,
    shows: "Room 3",
  },
  { name: "run-chat", path: () => `/runs/${chat.runId}`, shows: "Why it failed" },
  { name: "run-tracker", path: () => `/runs/${tracker.runId}`, shows: "issueUpdate" },
  { name: "run-mail", path: () => `/runs/${mail.runId}`, shows: "Prices of May" },
  { name: "run-calendar", path: () => `/runs/${calendar.runId}`, shows: "Budget of May" },
  { name: "run-pair", path: () => pair, shows: "only right" },
  { name: "suites", path: () => "/suites", shows: "Greetings" },
  { name: "suite", path: () => `/suites/${suite}`, shows: "Welcome everybody" },
  { name: "suite-audit", path: () => `/suites/${suite}?part=audit`, shows: "Proposal:" },
  { name: "test", path: () => tested, shows: "changed something that nobody asked for" },
  { name: "templates", path: () => "/templates", shows: "tracker_expanded" },
  { name: "template", path: () => "/templates/chat_default", shows: "general" },
  {
    name: "template-difference",
    path: () => "/templates/tracker_default?part=difference&with=tracker_base",
    shows: "added",
  },
  {
    name: "playground",
    path: () => `/playground?environment=${chat.environmentId}&try=methods`,
    shows: "slackApiUrl",
  },
  { name: "nothing", path: () => "/nothing", shows: "There is no such page." },
];

let chat: Scene;
let tracker: Scene;
let mail: MailScene;
let calendar: Scene;
let issue: string;
let suite: string;
let tested: string;
let pair: string;
beforeAll(async () => {
  chat = await chatScene(program);
  tracker = await trackerScene(program);
  mail = await mailScene(program, {
    subject: "Prices of May",
    html: "<p>Hello,</p><p>here are the <b>prices</b>.</p>",
  });
  calendar = await calendarScene(program);
  suite = await suiteScene(program);
  const { body } = await program.get(`/testSuites/${suite}?expand=true`);
  const { runs } = (await program.get(`/runs?testSuiteId=${suite}`)).body;
  pair = `/runs/${runs[0].runId}?with=${chat.runId}`;
  tested = `/suites/${suite}/tests/${body.tests[0].id}`;
  const { issues } = await graphql(
    program,
    tracker,
    '{ issues(filter: { title: { eq: "Draw all the empty states" } }) { nodes { id } } }',
  );
  issue = `/environments/${tracker.environmentId}?issue=${issues.nodes[0].id}`;
});

/** The addresses of the scripts that a page has loaded, with their bytes. */
const scriptsOf = async (page: Page) =>
  (await page.evaluate(
    `performance.getEntriesByType("resource").map(({ name, decodedBodySize }) => ({ path: new URL(name).pathname, bytes: decodedBodySize })).filter(({ path }) => path.endsWith(".js"))`,
  )) as { readonly path: string; readonly bytes: number }[];

test.each(PAGES)("$name", async ({ name, path, shows }) => {
  for (const width of WIDTHS) {
    const check = async (page: Page) => {
      await page.getByText(shows).first().waitFor();
      await waitUntilLoaded(page);
      const wide = (await page.evaluate("document.documentElement.scrollWidth")) as number;
      expect([name, width, wide <= width]).toEqual([name, width, true]);
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        const form = `${name}-${colorScheme}-${width}`;
        await takePicture(page, form);
        expect([form, await accepted.differencesOf(page, form)]).toEqual([form, []]);
        const rules = colorScheme === "dark" ? COLOR_RULES : undefined;
        expect(await violationsOf(page, rules)).toEqual([]);
      }
      if (width !== WIDTHS[0]) return;
      expect(await missedByKeyboard(page)).toEqual([]);
      const named = assetsOf(await (await fetch(page.url())).text());
      const loaded = await scriptsOf(page);
      const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
      expect([total > 10_000, total < SCRIPTS_MAX]).toEqual([true, true]);
      // The view of a service comes when the page knows the service.
      const late = loaded.filter(({ path: each }) => !named.includes(each));
      expect([name, late.length > 0]).toEqual([name, path().startsWith("/environments/")]);
    };
    await open(path(), check, { viewport: { width, height: 800 }, reducedMotion: "reduce" });
  }
});
