/** Warnings about specs that are stored all the same: they may be meant so, and are often mistakes. */
import type { CompiledAssertion } from "~/evaluation/assertion";
import type { CompiledSpec } from "~/evaluation/compile";
import type { Leaf, Predicate } from "~/evaluation/predicate";
import type { World } from "~/evaluation/world";

/** A condition that names a row by its id. */
export type NamedId = { readonly place: string; readonly id: string };

export const WARNINGS_MAX = 100;
const IDS_MAX = 10_000;
const ID_COLUMN = /^id$|_id$|Id$/;

/** The ids that conditions name, except for those of new rows, which no template has. */
export function namedIds({ assertions }: CompiledSpec, { tables }: World): NamedId[] {
  const found = assertions.flatMap((assertion, index) => {
    const { diffType, entity } = assertion;
    if (diffType === "called") return [];
    const key = tables.find(({ name }) => name === entity)?.key ?? [];
    const own = diffType === "added" && key.length === 1 ? key[0] : undefined;
    return leavesOf(assertion)
      .filter(({ path }) => ID_COLUMN.test(path) && path !== own)
      .flatMap((leaf) =>
        idsOf(leaf).map((id) => ({ place: `assertion ${index + 1}: ${leaf.path}`, id })),
      );
  });
  return found.slice(0, IDS_MAX);
}

/** Statements of a spec that are rarely meant. */
export function doubts({ assertions, expectsNothing }: CompiledSpec): string[] {
  const unclear = assertions.flatMap(({ diffType, changes, min }, index) =>
    diffType === "changed" && !changes && min > 0
      ? [`assertion ${index + 1}: any change of such a row counts: expected_changes says which`]
      : [],
  );
  const earns = assertions.some(
    ({ min, isHarm, diffType }) => min > 0 && !isHarm && diffType !== "unchanged",
  );
  if (earns || expectsNothing) return unclear;
  return [
    ...unclear,
    "nothing in it can be achieved, so that every reward is 0; expects: nothing says that doing nothing is right",
  ];
}

const leavesOf = ({ where, changes = [] }: CompiledAssertion): Leaf[] => [
  ...leavesIn(where),
  ...changes.flatMap(({ from, to }) => [...from, ...to]),
];

const leavesIn = (predicate: Predicate): Leaf[] =>
  predicate.kind === "leaf" ? [predicate.leaf] : [predicate.of].flat().flatMap(leavesIn);

function idsOf({ operator, operand }: Leaf): string[] {
  const given = operator === "in" ? operand : [operand];
  if (!["eq", "in"].includes(operator) || !Array.isArray(given)) return [];
  return given.filter((each) => typeof each === "string");
}
