/** The assertions of a test that are about a changed row. */

import type { CompiledAssertion } from "~/evaluation/assertion";
import type { AuditRow } from "~/evaluation/audit/rows";
import { counts, type Rows } from "~/evaluation/candidates";
import type { CompiledSpec } from "~/evaluation/compile";
import { significant } from "~/evaluation/unsafe";

/** An assertion and its number, from 1. */
export type Claim = { readonly assertion: CompiledAssertion; readonly number: number };

/** The assertions that count the row. */
export const claimsOn = (spec: CompiledSpec, row: AuditRow): Claim[] =>
  spec.assertions
    .map((assertion, index) => ({ assertion, number: index + 1 }))
    .filter(
      ({ assertion }) =>
        assertion.actor === undefined &&
        assertion.diffType === row.change &&
        assertion.entity === row.table &&
        counts(assertion, spec.strict, row),
    );

const NONE = new Map<string, never>();

/** True if the row counts at all: it is not allowed, not computed, and in no table of the service itself. */
function matters(spec: CompiledSpec, row: AuditRow): boolean {
  const rows: Rows = { added: NONE, removed: NONE, changed: NONE };
  rows[row.change] = new Map([[row.table, [row]]]);
  return !significant(spec, rows).next().done;
}

/** The author leaves it to the agent: the row is allowed, or counted only by assertions that need none. */
export function isLeftToAgent(spec: CompiledSpec, row: AuditRow): boolean {
  if (!matters(spec, row)) return true;
  const claims = claimsOn(spec, row);
  return (
    claims.length > 0 && claims.every(({ assertion: { min, isHarm } }) => min === 0 && !isHarm)
  );
}

/** The test names the row as a harm, which has a price. */
export const isNamedHarm = (spec: CompiledSpec, row: AuditRow): boolean =>
  claimsOn(spec, row).some(({ assertion }) => assertion.isHarm);
