/** Warnings about specs that are stored all the same: they may be meant so, and are often mistakes. */
import type { CompiledAssertion } from "~/evaluation/assertion";
import type { CompiledSpec } from "~/evaluation/compile";
import type { Leaf, Predicate } from "~/evaluation/predicate";
import { isOfTable } from "~/evaluation/spec";
import type { Vocabulary } from "~/evaluation/vocabulary";
import { quoted } from "~/input/nearest";
import type { TemplateRow } from "~/platform/templates/store";
import type { Templates } from "~/platform/templates/templates";

/** A condition that names a row by its id. */
type NamedId = { readonly place: string; readonly id: string };

/** A new spec, as far as warnings need it. */
export type NewSpec = {
  readonly test: string;
  readonly template: TemplateRow;
  readonly vocabulary: Vocabulary;
  readonly ids: readonly NamedId[];
  readonly doubts: readonly string[];
};

const WARNINGS_MAX = 100;

export const newSpec = (
  test: string,
  template: TemplateRow,
  vocabulary: Vocabulary,
  spec: CompiledSpec,
): NewSpec => ({
  test,
  template,
  vocabulary,
  ids: namedIds(spec, vocabulary),
  doubts: doubts(spec),
});

/** Looks up the ids of all specs, once for each template. */
export async function warningsAbout(
  templates: Pick<Templates, "knownIds">,
  specs: readonly NewSpec[],
): Promise<{ warnings?: string[] }> {
  const known = new Map<string, ReadonlySet<string>>();
  for (const [name, group] of Map.groupBy(specs, ({ template }) => template.schemaName)) {
    const [first] = group;
    const ids = new Set(group.flatMap(({ ids }) => ids.map(({ id }) => id)));
    if (first && ids.size > 0)
      known.set(name, await templates.knownIds(first.template, first.vocabulary, [...ids]));
  }
  const warnings = specs.flatMap(({ test, template, ids, doubts }) => [
    ...ids
      .filter(({ id }) => !known.get(template.schemaName)?.has(id))
      .map(
        ({ place, id }) => `test ${quoted(test)}: ${place}: the template has no row ${quoted(id)}`,
      ),
    ...doubts.map((doubt) => `test ${quoted(test)}: ${doubt}`),
  ]);
  return warnings.length > 0 ? { warnings: warnings.slice(0, WARNINGS_MAX) } : {};
}

const ID_COLUMN = /^id$|_id$|Id$/;

/** The ids that conditions name, except for those of new rows, which no template has. */
function namedIds({ assertions }: CompiledSpec, { tables }: Vocabulary): NamedId[] {
  return assertions.flatMap((assertion, index) => {
    const { diffType, entity } = assertion;
    if (!isOfTable(diffType)) return [];
    const key = tables.find(({ name }) => name === entity)?.key ?? [];
    const own = diffType === "added" && key.length === 1 ? key[0] : undefined;
    return leavesOf(assertion)
      .filter(({ path }) => ID_COLUMN.test(path) && path !== own)
      .flatMap((leaf) =>
        idsOf(leaf).map((id) => ({ place: `assertion ${index + 1}: ${leaf.path}`, id })),
      );
  });
}

/** Statements of a spec that are rarely meant. */
function doubts({ assertions, expectsNothing }: CompiledSpec): string[] {
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
