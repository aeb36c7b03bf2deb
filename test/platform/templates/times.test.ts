/** Built-in templates: nothing in them has happened after the time with which their environments begin. */
import { expect, test } from "bun:test";
import { resolveSeed, type Seed } from "~/platform/templates/seeds";
import { SEEDS } from "../../../seeds/index";

/** Fields that hold plans, which may lie ahead. */
const PLANNED = /^(time|startsAt|endsAt|startDate|targetDate|dueDate|start|end)$/;
const TS = /^\d{10}\.\d{6}$/;
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?$/;

const momentOf = (text: string) => {
  if (TS.test(text)) return Number(text) * 1000;
  return MOMENT.test(text) ? Date.parse(text) : undefined;
};

/** Every moment of a value with its path. */
function* moments(value: unknown, path: string): Generator<[path: string, moment: number]> {
  if (typeof value === "string") {
    const moment = momentOf(value);
    if (moment !== undefined) yield [path, moment];
  } else if (typeof value === "object" && value !== null)
    for (const [name, item] of Object.entries(value)) yield* moments(item, `${path}.${name}`);
}

test.each((SEEDS as readonly Seed[]).map((seed) => [seed.template, seed] as const))(
  "%s holds no time after its clock but what is planned",
  (_, raw) => {
    const seed = resolveSeed(raw, SEEDS as readonly Seed[]);
    const now = seed.now === undefined ? Date.now() : Date.parse(String(seed.now));
    const all = [...moments(seed, "")];
    expect(all.length).toBeGreaterThan(0);
    const later = all.filter(
      ([path, moment]) => moment > now && !PLANNED.test(path.slice(path.lastIndexOf(".") + 1)),
    );
    expect(later).toEqual([]);
  },
);
