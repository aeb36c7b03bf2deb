/** Building blocks of generated Markdown. */

/** Several texts may be undefined or empty. */
export const page = (...parts: readonly (string | undefined)[]) =>
  parts.filter(Boolean).join("\n\n");

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim();

/** Undefined without rows. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string | undefined {
  if (rows.length === 0) return undefined;
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

export const code = (text: string) => `\`${text}\``;
