/** Small mistakes in a file, as somebody could make them: another operator, a missing condition, a lost statement. */
import ts from "typescript5";

export type Mutant = {
  readonly file: string;
  readonly line: number;
  /** The changed text, on one line. */
  readonly from: string;
  readonly to: string;
  /** The whole file. */
  readonly text: string;
};

/** Where the text of a file changes. */
type Edit = { readonly start: number; readonly end: number; readonly to: string };

const { SyntaxKind } = ts;

const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.AmpersandAmpersandToken, "||"],
  [SyntaxKind.BarBarToken, "&&"],
  [SyntaxKind.MinusToken, "+"],
  [SyntaxKind.AsteriskToken, "/"],
  [SyntaxKind.SlashToken, "*"],
  [SyntaxKind.PlusEqualsToken, "="],
  [SyntaxKind.MinusEqualsToken, "+="],
  [SyntaxKind.BarBarEqualsToken, "="],
  [SyntaxKind.QuestionQuestionEqualsToken, "="],
]);

const METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  startsWith: "endsWith",
  find: "findLast",
  push: "unshift",
  shift: "pop",
};
/** Calls on a list that can be left out. */
const STEPS = /^(filter|toSorted|toReversed|slice|trim|toLowerCase)$/;
/** Calls whose absence no test has to notice. */
const NOTES = /^(log|metrics|console)\b|\.(inc|observe|unref)\(/;
const SHOWN_MAX = 90;

export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];

  const add = ({ start, end, to }: Edit) => {
    const text = source.slice(0, start) + to + source.slice(end);
    const before = source.slice(start, end);
    if (before === to || !isValid(file, text)) return;
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ file, line, from: shown(before), to: to === "" ? "nothing" : shown(to), text });
  };
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node, source)) return;
    for (const edit of editsOf(node, tree)) add(edit);
    node.forEachChild(visit);
  };
  visit(tree);
  return mutants;
}

const shown = (text: string) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
};

/** Members that only people read. */
const PROSE = /^(description|summary|says|title|examples?|limits)$/;

/** Types and imports do not run; notes, and what only people read, are not behavior. */
const isWithoutEffect = (node: ts.Node, source: string) =>
  isProse(node) ||
  ts.isTypeNode(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  (ts.isExpressionStatement(node) && NOTES.test(source.slice(node.getStart(), node.end)));

const isProse = (node: ts.Node) =>
  ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && PROSE.test(node.name.text);

const transpilers = {
  ts: new Bun.Transpiler({ loader: "ts" }),
  tsx: new Bun.Transpiler({ loader: "tsx" }),
};

function isValid(file: string, text: string): boolean {
  try {
    transpilers[file.endsWith("x") ? "tsx" : "ts"].transformSync(text);
    return true;
  } catch {
    return false;
  }
}

function* editsOf(node: ts.Node, tree: ts.SourceFile): Generator<Edit> {
  const text = (one: ts.Node) => one.getText(tree);
  const replaced = (one: ts.Node, to: string): Edit => ({
    start: one.getStart(tree),
    end: one.end,
    to,
  });

  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken: operator, right } = node;
    const other = OPERATORS.get(operator.kind);
    if (other !== undefined) yield replaced(operator, other);
    if (operator.kind === SyntaxKind.PlusToken && ![left, right].some(ts.isStringLiteralLike))
      yield replaced(operator, "-");
    if (operator.kind === SyntaxKind.QuestionQuestionToken) yield replaced(node, text(right));
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken)
    yield replaced(node, `(${text(node.operand)})`);
  else if (ts.isIfStatement(node)) {
    yield replaced(node.expression, "false");
    if (node.elseStatement) yield replaced(node.expression, "true");
  } else if (ts.isConditionalExpression(node)) {
    yield replaced(node, `(${text(node.whenTrue)})`);
    yield replaced(node, `(${text(node.whenFalse)})`);
  } else if (ts.isNumericLiteral(node))
    yield replaced(node, node.text === "1" ? "0" : `(${text(node)} + 1)`);
  else if (node.kind === SyntaxKind.TrueKeyword) yield replaced(node, "false");
  else if (node.kind === SyntaxKind.FalseKeyword) yield replaced(node, "true");
  else if (ts.isExpressionStatement(node)) yield replaced(node, ";");
  else if (ts.isCallExpression(node)) yield* callEdits(node, tree);
  else if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node))
    yield* elementEdits(node, tree);
  else if (ts.isTaggedTemplateExpression(node) && /\b(sql|tx|pool)$/.test(text(node.tag)))
    yield* conditionEdits(node.template, tree);
}

function* callEdits({ expression, arguments: args }: ts.CallExpression, tree: ts.SourceFile) {
  const [first, second] = args;
  if (first && second && first.getText(tree) !== second.getText(tree))
    yield {
      start: first.getStart(tree),
      end: second.end,
      to: `${second.getText(tree)}, ${first.getText(tree)}`,
    };
  if (!ts.isPropertyAccessExpression(expression)) return;
  const { name } = expression;
  const other = METHODS[name.text];
  if (other !== undefined) yield { start: name.getStart(tree), end: name.end, to: other };
  if (STEPS.test(name.text))
    yield { start: expression.expression.end, end: expression.parent.end, to: "" };
}

/** Leaves out a spread, or one element of a list that has several. */
function* elementEdits(
  node: ts.ObjectLiteralExpression | ts.ArrayLiteralExpression,
  tree: ts.SourceFile,
) {
  const elements: readonly ts.Node[] = ts.isObjectLiteralExpression(node)
    ? node.properties
    : node.elements;
  for (const [index, element] of elements.entries()) {
    if (isProse(element)) continue;
    if (elements.length < 2 && !ts.isSpreadElement(element) && !ts.isSpreadAssignment(element))
      continue;
    const next = elements[index + 1];
    yield { start: element.getStart(tree), end: next ? next.getStart(tree) : element.end, to: "" };
  }
}

/** Leaves out one line of SQL that is a further condition. */
function* conditionEdits(template: ts.TemplateLiteral, tree: ts.SourceFile) {
  let start = template.getStart(tree);
  for (const line of template.getText(tree).split("\n")) {
    const end = start + line.length;
    if (/^\s*(and|or) /.test(line) && isBalanced(line)) yield { start, end, to: "" };
    start = end + 1;
  }
}

const isBalanced = (line: string) =>
  !line.includes("`") &&
  ["()", "{}"].every(
    ([open = "", close = ""]) => line.split(open).length === line.split(close).length,
  );
