/** Errors of this folder. The replica translates them into its service's wording. */

/** An invalid argument: its name, its value and the rule it breaks. */
export class InvalidArgument extends Error {
  override readonly name = "InvalidArgument";
  readonly property: string;
  readonly value: unknown;
  readonly constraint: string;
  /** `constraint` names the broken rule: `isUuid`, `max`. The message explains it. */
  constructor(property: string, value: unknown, constraint: string, message: string) {
    super(message);
    this.property = property;
    this.value = value;
    this.constraint = constraint;
  }
}

/** Throws InvalidArgument for a list of more than `max` elements. */
export function requireFew(property: string, count: number, max: number, what = "elements"): void {
  if (count > max)
    throw new InvalidArgument(
      property,
      count,
      "arrayMaxSize",
      `${property} must contain no more than ${max} ${what}`,
    );
}

/** A document beyond the limits. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
}

/** A document that costs more than the limit. */
export class TooExpensive extends DocumentRefused {
  constructor(points: number, max: number) {
    super(`Query too complex. Complexity: ${points}. Maximum allowed complexity: ${max}.`);
  }
}
