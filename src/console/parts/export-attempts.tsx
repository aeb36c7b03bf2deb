/** A menu that saves the attempts at a suite as a file. */
import type { TestSuiteResults } from "~/clients/typescript/schema";
import { asCsv, asMarkdown } from "~/console/matrix-text";
import { download } from "~/console/parts/download";
import { Menu } from "~/console/parts/menu";

const FORMATS = [
  ["CSV", "csv", "text/csv", asCsv],
  ["Markdown", "md", "text/markdown", asMarkdown],
  [
    "JSON",
    "json",
    "application/json",
    (of: TestSuiteResults) => `${JSON.stringify(of, null, 2)}\n`,
  ],
] as const;

export function ExportAttempts({ of }: { of: TestSuiteResults }) {
  return (
    <Menu label="Export the attempts">
      {FORMATS.map(([name, ending, type, write]) => (
        <button
          key={name}
          type="button"
          onClick={() => download(`${of.suiteId}.${ending}`, type, write(of))}
        >
          Export as {name}
        </button>
      ))}
    </Menu>
  );
}
