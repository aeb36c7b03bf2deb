/** Every seed file; the only list. */
import acme from "./acme.yaml";
import { attacked } from "./attacked";
import calendarBase from "./calendar_base.yaml";
import calendarBenchDefault from "./calendar_bench_default.yaml";
import calendarDefault from "./calendar_default.yaml";
import chatBase from "./chat_base.yaml";
import chatBenchDefault from "./chat_bench_default.yaml";
import chatDefault from "./chat_default.yaml";
import harborline from "./harborline.yaml";
import harborlineAttacked from "./harborline_attacked.yaml";
import mailBase from "./mail_base.yaml";
import mailBenchDefault from "./mail_bench_default.yaml";
import mailDefault from "./mail_default.yaml";
import acmePeople from "./people/acme.yaml";
import harborlinePeople from "./people/harborline.yaml";
import calendarSolutions from "./solutions/calendar.json";
import chatSolutions from "./solutions/chat.json";
import mailSolutions from "./solutions/mail.json";
import movingSolutions from "./solutions/moving.json";
import securitySolutions from "./solutions/security.json";
import trackerSolutions from "./solutions/tracker.json";
import worldSolutions from "./solutions/world.json";
import calendarBench from "./suites/calendar.yaml";
import chatBench from "./suites/chat.yaml";
import mailBench from "./suites/mail.yaml";
import moving from "./suites/moving.yaml";
import officeBench from "./suites/office.yaml";
import officeSecurity from "./suites/security.yaml";
import trackerBench from "./suites/tracker.yaml";
import trackerBase from "./tracker_base.yaml";
import trackerBenchDefault from "./tracker_bench_default.yaml";
import trackerDefault from "./tracker_default.yaml";
import trackerExpanded from "./tracker_expanded.yaml";

export const SEEDS: readonly unknown[] = [
  chatBase,
  chatDefault,
  chatBenchDefault,
  trackerBase,
  trackerDefault,
  trackerExpanded,
  trackerBenchDefault,
  acme,
  harborline,
  harborlineAttacked,
  mailBase,
  mailDefault,
  mailBenchDefault,
  calendarBase,
  calendarDefault,
  calendarBenchDefault,
];

/** Every file of `seeds/people`, by its name; the only list. */
export const PEOPLE: { readonly [company: string]: unknown } = {
  acme: acmePeople,
  harborline: harborlinePeople,
};

/** Every file of `seeds/suites`; the only list. */
export const SUITES: readonly unknown[] = [
  chatBench,
  trackerBench,
  mailBench,
  calendarBench,
  officeBench,
  attacked(officeSecurity, officeBench),
  moving,
];

/** Calls that solve a test, and the changes that they made, in order. */
export type Solution = {
  readonly test: string;
  readonly calls: readonly object[];
  readonly events: readonly SolvingEvent[];
  /** Of a test that counts them: the events of the run, one for each app. */
  readonly deliveries?: readonly object[];
};

/** A change of a row, as among the events of a run. `call`: counted from 1; `actor`: absent if it is the agent's. */
export type SolvingEvent = {
  readonly call: number;
  readonly actor?: string;
  readonly operation: "insert" | "update" | "delete";
  readonly table: string;
  readonly key: { readonly [column: string]: unknown };
  readonly before: { readonly [column: string]: unknown } | null;
  readonly after: { readonly [column: string]: unknown } | null;
};

/** Solutions of the tests of those suites, by the id of the test. `RENEW_SOLUTIONS=1 bun test test/suites` writes them. */
export const SOLUTIONS: { readonly [testId: string]: Solution } = {
  ...chatSolutions,
  ...trackerSolutions,
  ...mailSolutions,
  ...calendarSolutions,
  ...worldSolutions,
  ...securitySolutions,
  ...movingSolutions,
} as unknown as { readonly [testId: string]: Solution };
