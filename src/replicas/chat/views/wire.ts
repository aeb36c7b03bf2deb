export type Wire = Record<string, unknown>;

/** Leaves out what is null: the service omits fields rather than sending null. */
export const present = (fields: Wire): Wire =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
