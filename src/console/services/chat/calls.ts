/** A form for the methods of the Web API. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import type { Form } from "~/console/calls";
import { readService } from "~/console/rest-form";

/** The methods are those of the OpenAPI document. */
export async function readMethods(environment: EnvironmentDetail): Promise<Form> {
  const { operations } = await readService(environment);
  return {
    first: "chat.postMessage",
    operations: operations.flatMap(({ verb, path: name, described: { summary }, body: example }) =>
      verb === "post" && !name.includes("/")
        ? [{ name, example, ...(summary && { about: summary }) }]
        : [],
    ),
    request: (name, body) => ({ address: `${environment.environmentUrl}/${name}`, body }),
  };
}
