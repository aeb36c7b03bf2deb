/** What was asked for cannot be done: a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

// Of sysexits.h.
export const EXIT_USAGE = 64;
export const EXIT_UNAVAILABLE = 69;
export const EXIT_CONFIG = 78;
