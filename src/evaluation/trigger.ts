/** Conditions on changes and calls that set something off: assertions without a count. */
import type { CompiledAssertion } from "~/evaluation/assertion";
import { CALL_FIELDS, type EndedCall, fieldsOf, isNamed } from "~/evaluation/calls";
import { type Candidate, counts, type Rows } from "~/evaluation/candidates";
import { compile } from "~/evaluation/compile";
import { SpecError } from "~/evaluation/mistakes";
import type { Row } from "~/evaluation/predicate";
import type { Vocabulary } from "~/evaluation/vocabulary";

/** The net changes of a transaction, or a call. */
export type Happening = { readonly rows: Rows } | { readonly call: EndedCall };

export type Trigger = {
  /** Undefined: it is met by calls. */
  readonly table: string | undefined;
  readonly columns: readonly string[];
  /** The rows that meet it, as they are after the change; a removed one as it was. Or the call, as a row. */
  readonly find: (happening: Happening) => readonly Row[];
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
  if (diffType === "called") return calledTrigger(assertion, path);
  if (diffType === "delivered" || diffType === "unchanged")
    throw new SpecError("one of added, changed, removed, called is needed", `${path}.diff_type`);
  const columns = vocabulary.tables.find(({ name }) => name === table)?.columns ?? [];
  const isMet = (candidate: Candidate) => counts(assertion, false, candidate);
  return {
    table,
    columns: columns.map(({ name }) => name),
    find: (happening) =>
      "call" in happening
        ? []
        : (happening.rows[diffType].get(table) ?? [])
            .filter(isMet)
            .map(({ before, after }) => after ?? before ?? {}),
  };
}

function calledTrigger(
  { entity, service, where, matches }: CompiledAssertion,
  path: string,
): Trigger {
  if (fieldsOf(where).includes("retry"))
    throw new SpecError("a rule does not know earlier calls", `${path}.where.retry`);
  return {
    table: undefined,
    columns: Object.keys(CALL_FIELDS).filter((field) => field !== "retry"),
    find(happening) {
      if (!("call" in happening)) return [];
      const { service: own, name, ...call } = happening.call;
      const isMeant = isNamed(entity, { name }) && (service === undefined || service === own);
      return isMeant && matches(call as Row) ? [call as Row] : [];
    },
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
