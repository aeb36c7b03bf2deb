/** Conditions on the changes of a call that set something off: assertions without a count. */
import { type Candidate, counts, type Rows } from "~/evaluation/candidates";
import { compile } from "~/evaluation/compile";
import { SpecError } from "~/evaluation/mistakes";
import type { Row } from "~/evaluation/predicate";
import type { Vocabulary } from "~/evaluation/vocabulary";

export type Trigger = {
  readonly table: string;
  readonly columns: readonly string[];
  /** The rows that meet it, as they are after the change; a removed one as it was. */
  readonly find: (rows: Rows) => readonly Row[];
};

/** `path`: where the conditions are in the request. `isNew`: they were not stored before. Throws SpecError. */
export function compileTrigger(
  when: object,
  vocabulary: Vocabulary,
  path: string,
  { isNew }: { readonly isNew: boolean },
): Trigger {
  const { assertions, hasPatterns } = compiled(when, vocabulary, path, isNew);
  // Each is tested between other calls, on texts that an agent chooses.
  if (hasPatterns) throw new SpecError("rules take no regex", `${path}.where`);
  const [assertion] = assertions;
  if (!assertion) throw new Error("an assertion was not compiled");
  const { diffType, entity: table } = assertion;
  if (diffType === "called" || diffType === "delivered" || diffType === "unchanged")
    throw new SpecError("one of added, changed, removed is needed", `${path}.diff_type`);
  const columns = vocabulary.tables.find(({ name }) => name === table)?.columns ?? [];
  const isMet = (candidate: Candidate) => counts(assertion, false, candidate);
  return {
    table,
    columns: columns.map(({ name }) => name),
    find: (rows) =>
      (rows[diffType].get(table) ?? [])
        .filter(isMet)
        .map(({ before, after }) => after ?? before ?? {}),
  };
}

function compiled(when: object, vocabulary: Vocabulary, path: string, isNew: boolean) {
  const assertion = { ...when, expected_count: { min: 0 } };
  try {
    return compile({ assertions: [assertion], strict: false }, vocabulary, { isNew });
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new SpecError(error.message.replaceAll(/^assertion 1: /gm, `${path}.`), "");
  }
}
