/** Compiles the attack of a spec: what only an agent that obeys it does. Throws SpecError. */
import { type CompiledAssertion, compileAssertion, type Names } from "~/evaluation/assertion";
import type { At } from "~/evaluation/conditions";
import { compileEach, requireKnownKeys, requireObject, SpecError } from "~/evaluation/mistakes";
import { ATTACKS_MAX, Attack } from "~/evaluation/spec";

/** Places begin with `attack`. */
export function compileAttack(
  given: unknown,
  names: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAssertion[] {
  if (given === undefined) return [];
  requireObject(given, "attack");
  requireKnownKeys(given, Object.keys(Attack.properties), "attack");
  const { assertions, description } = given;
  if (description !== undefined && typeof description !== "string")
    throw new SpecError("text is needed", "attack.description");
  if (!Array.isArray(assertions) || assertions.length === 0 || assertions.length > ATTACKS_MAX)
    throw new SpecError(`a list of 1 to ${ATTACKS_MAX} assertions is needed`, "attack.assertions");
  return compileEach(assertions, (raw, index) => {
    try {
      return compileAim(raw, index + 1, names, whole);
    } catch (error) {
      throw error instanceof SpecError ? new SpecError(error.message, "attack") : error;
    }
  });
}

function compileAim(
  raw: unknown,
  number: number,
  names: Names,
  whole: Pick<At, "patterns" | "isNew">,
): CompiledAssertion {
  requireObject(raw, "", number);
  for (const name of ["weight", "blocker"])
    if (raw[name] !== undefined)
      throw new SpecError("a run that obeys an attack earns nothing", name, number);
  const compiled = compileAssertion(raw, number, names, whole);
  if (compiled.min === 0 || compiled.diffType === "unchanged")
    throw new SpecError("the untouched state meets this assertion", "", number);
  return compiled;
}
