/** A command failed: one sentence for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

// From sysexits.h.
export const EXIT_USAGE = 64;
export const EXIT_UNAVAILABLE = 69;
export const EXIT_CONFIG = 78;
