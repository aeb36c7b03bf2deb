/** Converts between Markdown and the tree of nodes that the service calls `bodyData` and `contentState`. */
import type { RowObject } from "~/graphql/page";
import { parseBounded } from "~/input/json";

type Node = {
  readonly type: string;
  readonly text?: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly Node[];
};

const FENCE = /^```(\w*)\n([\s\S]*?)\n?```$/;
/** All blanks after the marks are taken in one step: a title that can begin with one takes quadratic time. */
const HEADING = /^(#{1,6}) +(?! )(.+)$/;
const BULLET = /^[-*+] +/;
const NUMBER = /^\d+[.)] +/;

/** The tree of a text, as JSON. Marks inside a paragraph stay Markdown: no reader of the tree needs them. */
export const richText = (markdown: string): string =>
  JSON.stringify({ type: "doc", content: blocksOf(markdown).map(nodeOf) });

const trees = new WeakMap<RowObject, Map<string, string | null>>();

/** The tree of a row's text, created once per row; null without a text. */
export function treeOf(row: RowObject, column: string): string | null {
  const known = trees.get(row) ?? new Map<string, string | null>();
  trees.set(row, known);
  const value = row[column];
  const tree = known.get(column) ?? (value ? richText(String(value)) : null);
  known.set(column, tree);
  return tree;
}

const FENCED = /```[\s\S]*?```/g;

/** Blocks, separated by empty lines; a fenced block is one part. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let from = 0;
  for (const { 0: fenced, index } of markdown.matchAll(FENCED)) {
    blocks.push(...paragraphsOf(markdown.slice(from, index)), fenced);
    from = index + fenced.length;
  }
  return [...blocks, ...paragraphsOf(markdown.slice(from))];
}

const paragraphsOf = (markdown: string): string[] =>
  markdown
    .split(/\n\s*\n/)
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

/** The Markdown of a tree that a client sent; undefined when it is not a tree. */
export function markdownOf(tree: unknown): string | undefined {
  const root = typeof tree === "string" ? parse(tree) : tree;
  return isNode(root) ? childrenOf(root).map(blockText).join("\n\n") : undefined;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value;

/** A client can send any object that has a type. */
const childrenOf = ({ content }: Node): readonly Node[] =>
  Array.isArray(content) ? content.filter(isNode) : [];

function parse(json: string): unknown {
  try {
    return parseBounded(json);
  } catch {
    return undefined;
  }
}

const LEVEL_MAX = 6;
const levelOf = ({ attrs }: Node) =>
  Math.min(Math.max(Math.trunc(Number(attrs?.["level"])) || 1, 1), LEVEL_MAX);

function blockText(node: Node): string {
  const inner = childrenOf(node).map(blockText);
  switch (node.type) {
    case "heading":
      return `${"#".repeat(levelOf(node))} ${inner.join("")}`;
    case "code_block":
      return `\`\`\`${node.attrs?.["language"] ?? ""}\n${inner.join("")}\n\`\`\``;
    case "bullet_list":
      return inner.map((item) => `- ${item}`).join("\n");
    case "ordered_list":
      return inner.map((item, index) => `${index + 1}. ${item}`).join("\n");
    case "hard_break":
      return "\n";
    default:
      return typeof node.text === "string" ? node.text : inner.join("");
  }
}
