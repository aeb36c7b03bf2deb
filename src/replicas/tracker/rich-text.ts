/** Markdown ↔ the tree of nodes that the service calls `bodyData` and `contentState`. */

type Node = {
  readonly type: string;
  readonly text?: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly Node[];
};

const FENCE = /^```(\w*)\n([\s\S]*?)\n?```$/;
const HEADING = /^(#{1,6}) +(.+)$/;
const BULLET = /^[-*+] +/;
const NUMBER = /^\d+[.)] +/;

/** The tree of a text, as JSON. Marks inside a paragraph stay Markdown: nothing that reads the tree needs them apart. */
export const richText = (markdown: string): string =>
  JSON.stringify({ type: "doc", content: blocksOf(markdown).map(nodeOf) });

/** Parts between empty lines; a fenced one is whole whatever it holds. */
const blocksOf = (markdown: string): string[] =>
  (markdown.match(/```[\s\S]*?```|(?:(?!\n\s*\n|```)[\s\S])+/g) ?? [])
    .map((block) => block.trim())
    .filter((block) => block !== "");

const text = (value: string): readonly Node[] =>
  value === "" ? [] : [{ type: "text", text: value }];
const paragraph = (value: string): Node => ({ type: "paragraph", content: text(value) });

function nodeOf(block: string): Node {
  const [, language, code] = FENCE.exec(block) ?? [];
  if (code !== undefined)
    return { type: "code_block", attrs: { language: language || null }, content: text(code) };
  const [, marks, title] = HEADING.exec(block) ?? [];
  if (marks !== undefined && title !== undefined)
    return { type: "heading", attrs: { level: marks.length }, content: text(title) };
  const lines = block.split("\n");
  for (const [type, mark] of [
    ["bullet_list", BULLET],
    ["ordered_list", NUMBER],
  ] as const)
    if (lines.every((line) => mark.test(line)))
      return {
        type,
        content: lines.map((line) => ({
          type: "list_item",
          content: [paragraph(line.replace(mark, ""))],
        })),
      };
  return paragraph(block);
}

/** The text of a tree that a client sent instead of Markdown; undefined when it is none. */
export function markdownOf(tree: unknown): string | undefined {
  const root = typeof tree === "string" ? parse(tree) : tree;
  return isNode(root) ? (root.content ?? []).map(blockText).join("\n\n") : undefined;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function blockText(node: Node): string {
  const inner = (node.content ?? []).map(blockText);
  switch (node.type) {
    case "heading":
      return `${"#".repeat(Number(node.attrs?.["level"] ?? 1))} ${inner.join("")}`;
    case "code_block":
      return `\`\`\`${node.attrs?.["language"] ?? ""}\n${inner.join("")}\n\`\`\``;
    case "bullet_list":
      return inner.map((item) => `- ${item}`).join("\n");
    case "ordered_list":
      return inner.map((item, index) => `${index + 1}. ${item}`).join("\n");
    case "hard_break":
      return "\n";
    default:
      return node.text ?? inner.join("");
  }
}
