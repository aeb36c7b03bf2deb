/** `diorama licenses`: prints the licenses of everything in the binary. */
import { CommandError } from "~/commands/failure";
import { print } from "~/log";

/** `bun run build` writes the text right before it embeds it; it does not exist in the sources. */
export async function licenses(): Promise<void> {
  const embedded = await import("../../dist/licenses.txt", { with: { type: "text" } }).catch(
    () => undefined,
  );
  if (!embedded) throw new CommandError("only the binary contains the licenses");
  print(embedded.default.trimEnd());
}
