/** `diorama licenses`: of everything that the binary contains. */
import { CommandError } from "~/commands/failure";
import { print } from "~/log";

/** The text is written by `bun run build`, right before it embeds it; the sources have none. */
export async function licenses(): Promise<void> {
  const embedded = await import("../../dist/licenses.txt", { with: { type: "text" } }).catch(
    () => undefined,
  );
  if (!embedded) throw new CommandError("the sources contain nothing; ask the binary");
  print(embedded.default.trimEnd());
}
