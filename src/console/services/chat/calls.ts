/** A form for the methods of the Web API. */
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import { jsonOf, send } from "~/console/api";
import type { Form } from "~/console/calls";

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly summary?: string;
          readonly requestBody?: {
            readonly content: Readonly<Record<string, { readonly example?: object }>>;
          };
        };
      }
    >
  >;
};

/** The methods are those of the OpenAPI document. */
export async function readMethods({ service, environmentUrl }: EnvironmentDetail): Promise<Form> {
  const document = await jsonOf<Document>(await send("GET", "/docs/json"));
  const prefix = `/api/env/{envId}/services/${service}/`;
  return {
    first: "chat.postMessage",
    operations: Object.entries(document?.paths ?? {}).flatMap(([path, { post }]) => {
      const name = path.slice(prefix.length);
      if (!path.startsWith(prefix) || !post || name.includes("/")) return [];
      const { example = {} } = post.requestBody?.content["application/json"] ?? {};
      return [{ name, example, ...(post.summary && { about: post.summary }) }];
    }),
    request: (name, body) => ({ address: `${environmentUrl}/${name}`, body }),
  };
}
