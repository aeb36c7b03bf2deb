/** The sizes of a generated company, and the most that an import accepts of each. */
export const SIZES = { messages: 10_000, issues: 2_000, mails: 5_000, events: 3_000 } as const;
export type Size = keyof typeof SIZES;
