/** The parts of the OpenAPI document that the types of the clients are generated from. */

export type Document = {
  readonly paths: object;
  readonly components: { readonly schemas: Record<string, object> };
};

/** The document with the shapes that `roots` refer to, and nothing else. */
function shapesOf(document: Document, roots: unknown): Document {
  const { schemas } = document.components;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const name = (node as { $ref?: string }).$ref?.split("/").at(-1);
    if (name !== undefined && !used.has(name)) {
      used.add(name);
      visit(schemas[name]);
    }
    for (const part of Object.values(node)) visit(part);
  };
  visit(roots);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...document, paths: {}, components: { schemas: Object.fromEntries(kept) } };
}

/** The shapes of the platform's own calls. */
export const platformShapes = (document: Document): Document =>
  shapesOf(
    document,
    Object.entries(document.paths).filter(([path]) => path.startsWith("/api/platform")),
  );

/** Answers that the Python client reads. */
const ANSWERS = [
  "CallPage",
  "CreatedEnvironment",
  "Diff",
  "EnvironmentDetail",
  "EvaluatedRun",
  "Evaluation",
  "FaultList",
  "MovedClock",
  "Run",
  "Snapshot",
  "StartedRun",
  "Template",
  "TestSuiteDetails",
  "TestSuiteList",
];
/** Objects that Python reads as dictionaries: rows have the fields of the service. */
const DICTIONARIES = new Set(["DiffRow", "DiffUpdate", "ExpectedOutput"]);
/** Lists of values that a newer server may extend. */
const OPEN = new Set(["RunCause", "Service", "EnvironmentKind", "Surface"]);
/** Limits, which the server checks, and examples. */
const LIMITS = new Set([
  ...["additionalProperties", "examples", "minimum", "maximum", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties", "pattern"],
]);
const DICTIONARY = { type: "object", additionalProperties: true };

/** The shapes of answers, as a client reads them that may be older than the server. */
export function answerShapes(document: Document): Document {
  const isShape = (node: object) => "properties" in node || "allOf" in node;
  const read = (node: unknown, name?: string): unknown => {
    if (Array.isArray(node)) return node.map((part) => read(part));
    if (typeof node !== "object" || node === null) return node;
    const target = (node as { $ref?: string }).$ref?.split("/").at(-1);
    if (target !== undefined && DICTIONARIES.has(target)) return DICTIONARY;
    const kept = Object.entries(node).filter(
      ([key, value]) =>
        !(LIMITS.has(key) && (isShape(node) || typeof value !== "object" || key === "examples")) &&
        !(key === "enum" && name !== undefined && OPEN.has(name)),
    );
    return Object.fromEntries(kept.map(([key, value]) => [key, read(value)]));
  };
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, shape]) => [
      name,
      read(shape, name) as object,
    ]),
  );
  const roots = ANSWERS.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return shapesOf({ ...document, components: { schemas } }, roots);
}
