/** Which counterparts an environment can have. */

import type { Session } from "~/db/session";
import { ApiError } from "~/errors";
import { joined, SpecError } from "~/evaluation/mistakes";
import type { Row } from "~/evaluation/predicate";
import { compileTrigger, type Happening, type Trigger } from "~/evaluation/trigger";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { parseDuration } from "~/input/duration";
import { known, quoted } from "~/input/nearest";
import { Rejections } from "~/input/rejections";
import { actionOf, requireAction, requireColumns } from "~/platform/counterparts/actions";
import { firstOfChain, requireChain } from "~/platform/counterparts/chains";
import { ACTIONS_MAX, type Counterpart, type NewAct } from "~/platform/counterparts/model";
import { type PersonAct, type StoredRule, seesOthers } from "~/platform/counterparts/store";
import { filledFrom, keptNamesIn, pathsIn, takesObject } from "~/platform/counterparts/values";
import { requireReplica, serviceOf } from "~/replicas/index";

/** An environment, or the template of one. */
type Place = {
  readonly services: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly sessionOf: (service: string) => Session;
};

/** Characters of a rule as JSON text. */
const RULE_LENGTH_MAX = 20_000;
const AFTER_MAX = "P10Y";

/** Throws `invalid_request` or `invalid_service`, with all that is wrong. */
export async function requireCounterparts(
  place: Place,
  rules: readonly Counterpart[],
  path = "counterparts",
): Promise<readonly StoredRule[]> {
  const rejections = new Rejections();
  const found: StoredRule[] = [];
  let times = 0;
  for (const [index, rule] of rules.entries())
    try {
      const own = `${path}[${index}]`;
      if (rules.findIndex(({ name }) => name === rule.name) < index)
        throw wrong(`${own}.name`, `${quoted(rule.name)} is given twice`);
      requireChain(rules, rule, own);
      requireKept(actionOf(rule), rules, own);
      const first = firstOfChain(rules, rule, own);
      const at = `${path}[${rules.indexOf(first)}]`;
      found.push(await requireCounterpart(place, rule, own, beginningOf(place, first, at)));
      times += first.times ?? 1;
    } catch (error) {
      rejections.add(error);
    }
  if (times > ACTIONS_MAX)
    rejections.add(wrong(path, `${times} actions together; at most ${ACTIONS_MAX} are possible`));
  rejections.end();
  return found;
}

const wrong = (path: string, problem: string) =>
  new ApiError("invalid_request", `${path}: ${problem}`);

/** The changes of a table, or calls, that set off a rule and those that follow it, or nothing but a time. */
type Beginning = Pick<Trigger, "columns"> & Partial<Pick<Trigger, "table">>;

function beginningOf({ services, vocabulary }: Place, first: Counterpart, path: string): Beginning {
  const { when } = first;
  if (!when) return { columns: [] };
  const service = requireService(services, first.service, path);
  return triggerOf({ when, service }, vocabulary, `${path}.when`, { isNew: true });
}

async function requireCounterpart(
  { services, vocabulary, sessionOf }: Place,
  rule: Counterpart,
  path: string,
  beginning: Beginning,
): Promise<StoredRule> {
  if (JSON.stringify(rule).length > RULE_LENGTH_MAX)
    throw wrong(path, `more than ${RULE_LENGTH_MAX} characters`);
  const service = requireService(services, rule.service, path);
  for (const field of ["at", "quiet", "after"] as const)
    if (rule[field] !== undefined) requireDuration(rule[field], `${path}.${field}`);
  // So that rules that set off each other do not act forever at the same moment.
  if (seesOthers(rule.when) && rule.after === undefined)
    throw wrong(`${path}.after`, "needed with when.from any");
  requireAction({ ...rule, service }, beginning.columns, path);
  requireColumns(rule.keep, beginning.columns, `${path}.keep`);
  const excuse = requireUnless({ ...rule, service }, vocabulary, beginning, `${path}.unless`);
  const user = await requireUser(sessionOf, service, rule.as, `${path}.as`);
  return {
    ...{ ...rule, as: user, service },
    ...(rule.when && { table: beginning.table }),
    ...(excuse && { unlessTable: excuse.table }),
  };
}

/** Undefined without one. Throws `invalid_request`. */
function requireUnless(
  { unless, after, at, service }: Counterpart & { readonly service: string },
  vocabulary: Vocabulary,
  { columns }: Beginning,
  path: string,
): Trigger | undefined {
  if (!unless) return undefined;
  if (after === undefined && at === undefined)
    throw wrong(path, "only an action that waits has it; give after, too");
  requireColumns(unless, columns, path);
  if (keptNamesIn(unless).length > 0) throw wrong(path, "$kept: only actions can have it");
  return triggerOf({ when: filledFrom({}, unless) as typeof unless, service }, vocabulary, path, {
    isNew: true,
  });
}

/** Rejects values that no rule keeps. */
function requireKept(value: unknown, rules: readonly Counterpart[], path: string): void {
  const names = rules.flatMap(({ keep = {} }) => Object.keys(keep));
  const unknown = keptNamesIn(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrong(path, `$kept: no rule keeps ${quoted(unknown)}${known(unknown, names)}`);
}

function requireDuration(text: string, path: string): void {
  const secondsOf = (duration: string) => parseDuration(duration)?.seconds ?? Number.NaN;
  const seconds = secondsOf(text);
  if (!(seconds > 0 && seconds <= secondsOf(AFTER_MAX)))
    throw wrong(path, `a duration like PT2M, at most ${AFTER_MAX}, is needed`);
}

/** The act of a person without a rule. Throws `invalid_request` or `invalid_service`. */
export async function requireAct(
  { services, sessionOf }: Omit<Place, "vocabulary">,
  act: NewAct,
): Promise<PersonAct> {
  if (JSON.stringify(act).length > RULE_LENGTH_MAX)
    throw new ApiError("invalid_request", `more than ${RULE_LENGTH_MAX} characters`);
  const service = requireService(services, act.service, "");
  if (act.say && act.say.channel === undefined) throw wrong("say.channel", "needed");
  requireKept(actionOf(act), [], act.say ? "say" : "call");
  requireAction({ ...act, service }, [], "");
  return {
    ...act,
    name: "by hand",
    service,
    as: await requireUser(sessionOf, service, act.as, "as"),
  };
}

async function requireUser(
  sessionOf: Place["sessionOf"],
  service: string,
  as: string,
  path: string,
): Promise<string> {
  const by = as.includes("@") ? { email: as } : { id: as };
  const user = await requireReplica(service).findUser(sessionOf(service), by);
  if (user === undefined) throw wrong(path, `${service} has no user ${quoted(as)} here`);
  return user;
}

function requireService(services: readonly string[], named: string | undefined, path: string) {
  const [only] = services;
  const service = named === undefined ? only : serviceOf(named);
  if (service === undefined || !services.includes(service))
    throw new ApiError(
      "invalid_service",
      `${joined(path, "service")}: this environment has no ${quoted(named ?? "")}${known(named ?? "", services)}`,
    );
  if (named === undefined && services.length > 1)
    throw wrong(joined(path, "service"), `needed: one of ${services.join(", ")}`);
  return service;
}

/** The trigger of a rule, whose service is known. Throws `invalid_request`. */
export function triggerOf(
  { when: { from, ...when }, service }: Required<Pick<StoredRule, "when" | "service">>,
  vocabulary: Vocabulary,
  path: string,
  { isNew }: { readonly isNew: boolean } = { isNew: false },
): Trigger {
  if (when.diff_type === "called" && from === "any")
    throw wrong(`${path}.from`, "calls are always the agent's");
  const given = vocabulary.isWorld && !when.service && !isTable(when.entity, vocabulary);
  try {
    return compileTrigger(given ? { ...when, service } : when, vocabulary, path, { isNew });
  } catch (error) {
    if (error instanceof SpecError) throw new ApiError("invalid_request", error.message);
    throw error;
  }
}

/** The columns that a rule, and those that follow it, take from the row that sets it off. */
export function takenFrom(row: Row, rule: StoredRule, rules: readonly StoredRule[]): Row {
  const columns: string[] = [];
  for (let each: StoredRule | undefined = rule; each; each = followerOf(each, rules)) {
    const { say, unless, keep, service } = each;
    columns.push(
      ...pathsIn([actionOf(each), unless, keep]).map((path) => path.split(".", 1)[0] ?? ""),
    );
    const { acting } = requireReplica(service);
    if (say && say.channel === undefined && acting?.say) columns.push(acting.say.channel);
  }
  return Object.fromEntries([...new Set(columns)].map((column) => [column, row[column] ?? null]));
}

/** The rule that the action of another one sets off. */
export const followerOf = ({ then }: StoredRule, rules: readonly StoredRule[]) =>
  then === undefined ? undefined : rules.find(({ name }) => name === then);

/** Whether a change or a call ends an action that waits. `row`: has set it off. */
export function excuseOf(
  { unless, service, name }: StoredRule,
  row: Row,
  vocabulary: Vocabulary,
): (happening: Happening) => boolean {
  // An object would be read as operators, which the agent may have chosen: nothing equals it.
  if (!unless || takesObject(row, unless)) return () => false;
  try {
    const when = filledFrom(row, unless) as typeof unless;
    const { find } = triggerOf({ when, service }, vocabulary, name);
    return (happening) => find(happening).length > 0;
  } catch (error) {
    // A value of the row, such as a list, with which no column can be compared: nothing equals it.
    if (error instanceof ApiError) return () => false;
    throw error;
  }
}

const isTable = (name: string, { tables }: Vocabulary) => tables.some((each) => each.name === name);
