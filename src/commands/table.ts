import { paint } from "~/commands/paint";

const { stringWidth } = Bun;

/** The lines of a table with a header and aligned columns. Cells may have colours. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) =>
    Math.max(stringWidth(head), ...rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  const padded = (cell: string, column: number) =>
    cell + " ".repeat((widths[column] ?? 0) - stringWidth(cell));
  const lined = (row: readonly string[]) => row.map(padded).join("  ").trimEnd();
  return [
    paint("bold", lined(heads)),
    paint("dim", lined(widths.map((width) => "─".repeat(width)))),
    ...rows.map(lined),
  ];
}
