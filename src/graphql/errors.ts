/** Refusals of this folder. The replica words them as its service does. */

/** An argument that does not fit: which one, what it was and what it should have been. */
export class InvalidArgument extends Error {
  override readonly name = "InvalidArgument";
  readonly property: string;
  readonly value: unknown;
  readonly constraint: string;
  /** `constraint` names the broken rule: `isUuid`, `max`. The message says it in words. */
  constructor(property: string, value: unknown, constraint: string, message: string) {
    super(message);
    this.property = property;
    this.value = value;
    this.constraint = constraint;
  }
}

/** A document that is beyond the limits. */
export class DocumentRefused extends Error {
  override readonly name = "DocumentRefused";
}
