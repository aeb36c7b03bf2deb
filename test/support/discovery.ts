/** Validates the answers of a Google API against its discovery document. */
import Ajv, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";

type Json = { [key: string]: any };

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);

/** A schema of the document in JSON Schema, in which an object has no fields but those that are described. */
function closed(schema: Json): Json {
  if (schema["$ref"]) return { $ref: `#/$defs/${schema["$ref"]}` };
  if (schema["type"] === "any") return {};
  const { type, format, enum: values, items, properties } = schema;
  return {
    ...{ type, ...(format && { format }), ...(values && { enum: values }) },
    ...(items && { items: closed(items) }),
    ...(properties && { properties: closedAll(properties), additionalProperties: false }),
  };
}

const closedAll = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]));

type Method = {
  verb: string;
  pattern: RegExp;
  name: string;
  validate: ValidateFunction | undefined;
};

function methodsOf(resource: Json, definitions: Json): Method[] {
  const own = Object.values((resource["methods"] ?? {}) as Json).map((method) => ({
    verb: method.httpMethod,
    pattern: new RegExp(`^/?${method.path.replace(/\{\w+\}/g, "[^/]+")}$`),
    name: method.id,
    validate: method.response && ajv.compile({ ...closed(method.response), $defs: definitions }),
  }));
  const inner = Object.values((resource["resources"] ?? {}) as Json);
  return [...own, ...inner.flatMap((each) => methodsOf(each, definitions))];
}

/** Returns a function that throws for an answer of a successful call that the document does not describe. */
export function answerCheck(whole: unknown) {
  const document = whole as Json;
  const methods = methodsOf(document, closedAll(document["schemas"]));
  return (verb: string, path: string, status: number, body: unknown): void => {
    const pathname = path.replace(/\?.*$/s, "").replace(/^\/?upload\//, "");
    const method = methods
      .filter((each) => each.verb === verb && each.pattern.test(pathname))
      .sort((a, b) => a.pattern.source.length - b.pattern.source.length)
      .at(-1);
    if (!method) throw new Error(`the document does not have ${verb} ${pathname}`);
    const { name, validate } = method;
    if (status === 204 ? validate : !validate)
      throw new Error(`${name} answered ${status}, which the document does not say`);
    if (!validate || validate(body)) return;
    const errors = ajv.errorsText(validate.errors);
    throw new Error(`${name} is not as documented: ${errors}: ${JSON.stringify(body)}`);
  };
}
