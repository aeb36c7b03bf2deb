/** A form for the operations of a REST API, from the OpenAPI document. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { jsonOf, send } from "~/console/api";
import type { Form, Operation } from "~/console/calls";

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema?: { readonly examples?: readonly unknown[] };
};
type Described = {
  readonly summary?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: object }>>;
  };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>> };
};

const PARAMETER = /\{(\w+)\}/g;

/** The OpenAPI document's operations of the service, with their paths below its address; and the shared parameters. */
export async function readService({ service }: EnvironmentDetail) {
  const document = await jsonOf<Document>(await send("GET", "/docs/json"));
  const prefix = `/api/env/{envId}/services/${service}/`;
  return {
    parameters: document?.components.parameters ?? {},
    operations: Object.entries(document?.paths ?? {}).flatMap(([path, verbs]) =>
      path.startsWith(prefix)
        ? Object.entries(verbs).map(([verb, described]) => ({
            ...{ verb, path: path.slice(prefix.length), described },
            body: described.requestBody?.content["application/json"]?.example ?? {},
          }))
        : [],
    ),
  };
}

/** `first`: the end of the path that is chosen at first. */
export const readOperations =
  (first: string) =>
  async (environment: EnvironmentDetail): Promise<Form> => {
    const { parameters, operations } = await readService(environment);
    const resolve = (parameter: Parameter | { readonly $ref: string }) =>
      "$ref" in parameter ? parameters[parameter.$ref.split("/").at(-1) ?? ""] : parameter;
    const listed = operations.map(({ verb, path, described, body }): Operation => {
      const own = (described.parameters ?? []).flatMap((each) => resolve(each) ?? []);
      return {
        name: `${verb.toUpperCase()} ${path}`,
        example: { ...required(own), ...body },
        ...(described.summary && { about: described.summary }),
      };
    });
    const chosen = listed.find(({ name }) => name.endsWith(first))?.name;
    return {
      operations: listed,
      ...(chosen && { first: chosen }),
      request: (name, args) =>
        requestOf(environment.environmentUrl, name, args as Record<string, unknown>),
    };
  };

/** Examples of the parameters that a call needs, but for the environment. */
const required = (parameters: readonly Parameter[]) =>
  Object.fromEntries(
    parameters
      .filter((each) => each.required && each.name !== "envId")
      .map(({ name, example, schema }) => [name, example ?? schema?.examples?.[0] ?? ""]),
  );

/** Arguments that the path names go there; the others are the body, or the query of a call without one. */
function requestOf(environmentUrl: string, name: string, args: Record<string, unknown>) {
  const [method = "", template = ""] = name.split(" ");
  const used = new Set<string>();
  const path = template.replace(PARAMETER, (_, parameter: string) => {
    used.add(parameter);
    return encodeURIComponent(String(args[parameter] ?? ""));
  });
  const others = Object.entries(args).filter(([each]) => !used.has(each));
  const address = `${environmentUrl}/${path}`;
  if (method !== "GET" && method !== "DELETE")
    return { method, address, body: Object.fromEntries(others) };
  const query = new URLSearchParams();
  for (const [each, value] of others)
    for (const item of [value].flat()) query.append(each, String(item));
  return { method, address: query.size > 0 ? `${address}?${query}` : address };
}
