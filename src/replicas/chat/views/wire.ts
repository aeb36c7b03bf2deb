export type Wire = Record<string, unknown>;

/** Leaves out what is null: the service omits fields rather than sending null. */
export function present(fields: Wire): Wire {
  const kept: Wire = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== null && value !== undefined) kept[name] = value;
  }
  return kept;
}
