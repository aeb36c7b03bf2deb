/** Runs every class on every test. */
import { CLASSES, type Class, LATE, LATE_MS } from "./classes";
import { each } from "./each";
import { type Outcome, runEmulated } from "./emulated";
import type { Judgement, Service, Test, Truth } from "./model";
import { known, type Planned, planAll, testsOf } from "./plans";
import type { Audited } from "./server";
import { act, finishTrial, type Judged, startTrial, type Trial } from "./trial";

const AT_A_TIME = 3;
/** Runs that one kill of the server meets. */
const KILLED_AT_A_TIME = 20;

export type Result = Judged & {
  readonly test: string;
  readonly service: Service;
  readonly className: string;
  readonly truth: Truth;
};

export type Audit = {
  readonly results: readonly Result[];
  /** By class: tests that it does not apply to. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  readonly tests: number;
  readonly kills: number;
  /** Trajectories that could not be executed as planned, with the reason: mistakes of the audit, or of the server. */
  readonly broken: readonly string[];
  /** Trajectories of chat on the emulator; undefined if it was not run. */
  readonly emulated: readonly EmulatedResult[] | undefined;
  /** Trajectories that the emulator does not accept, with the reason. */
  readonly refused: readonly string[];
};

export type EmulatedResult = {
  readonly test: string;
  readonly className: string;
  readonly truth: Truth;
  readonly judgement: Judgement;
  readonly writes: number;
};

export type Options = {
  readonly pattern?: RegExp;
  readonly classes?: readonly Class[];
  readonly withEmulator?: boolean;
};

export async function audit(
  audited: Audited,
  { pattern = /./, classes = CLASSES, withEmulator = true }: Options = {},
  report: (text: string) => void = () => {},
): Promise<Audit> {
  const tests = await testsOf(audited, pattern);
  const worlds = await known(audited, tests);
  const { planned, leftOut } = planAll(tests, classes, worlds);
  const knownOf = ({ service }: Test) => {
    const found = worlds.get(service);
    if (!found) throw new Error(`no world of ${service}`);
    return found;
  };
  const resultOf = ({ test, className, plan }: Planned, judged: Judged): Result => ({
    test: test.name,
    service: test.service,
    className,
    truth: plan.truth,
    ...judged,
  });
  const broken: string[] = [];
  const attempt = async <Value>({ test, className }: Planned, work: () => Promise<Value>) => {
    try {
      return await work();
    } catch (error) {
      broken.push(`${test.name}, ${className}: ${error}`);
      return undefined;
    }
  };
  const start = (one: Planned) =>
    attempt(one, async () => {
      const trial = await startTrial(audited, knownOf(one.test), one.test, one.plan);
      await act(audited, trial, 0, one.plan.killAfter ?? one.plan.acts.length);
      return trial;
    });
  const finish = (one: Planned, trial: Trial | undefined) =>
    attempt(one, async () => {
      if (!trial) return;
      const { killAfter, acts } = one.plan;
      if (killAfter !== undefined) await act(audited, trial, killAfter, acts.length);
      const judged = await finishTrial(audited, knownOf(one.test), trial);
      if (one.className === LATE && judged.gapMs > LATE_MS)
        throw new Error(`${judged.gapMs} ms before the end are too early`);
      return resultOf(one, judged);
    });

  const results: (Result | undefined)[] = [];
  for (const { name } of classes) {
    report(name);
    const ofClass = planned.filter(
      ({ className, plan }) => className === name && plan.killAfter === undefined,
    );
    results.push(...(await each(ofClass, AT_A_TIME, async (one) => finish(one, await start(one)))));
  }
  const killed = planned.filter(({ plan }) => plan.killAfter !== undefined);
  let kills = 0;
  for (let from = 0; from < killed.length; from += KILLED_AT_A_TIME) {
    const group = killed.slice(from, from + KILLED_AT_A_TIME);
    const trials = await each(group, AT_A_TIME, async (one) => ({ one, trial: await start(one) }));
    await audited.kill();
    kills++;
    results.push(...(await each(trials, AT_A_TIME, ({ one, trial }) => finish(one, trial))));
  }
  const ofChat = planned.filter(({ test }) => test.service === "chat");
  const chat = worlds.get("chat");
  if (withEmulator && chat) report("the emulator");
  const outcomes = withEmulator && chat ? await runEmulated(chat, ofChat) : undefined;
  return {
    results: results.filter((result) => result !== undefined),
    leftOut,
    tests: tests.length,
    kills,
    broken,
    emulated: outcomes?.flatMap((outcome, place) => emulatedResult(ofChat[place], outcome)),
    refused: outcomes?.flatMap(({ refused }) => refused ?? []) ?? [],
  };
}

function emulatedResult(planned: Planned | undefined, { emulated }: Outcome): EmulatedResult[] {
  if (!planned || !emulated) return [];
  const { test, className, plan } = planned;
  return [{ test: test.name, className, truth: plan.truth, ...emulated }];
}
