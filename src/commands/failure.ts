/** What was asked for cannot be done: a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
