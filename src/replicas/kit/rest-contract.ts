/** The parts of a router in the contract of a replica: entries of the OpenAPI document, names and selections for faults. */

import { type TSchema, Type } from "@sinclair/typebox";
import { capitalized } from "~/capitalized";
import type { Operation, Router } from "~/replicas/kit/router";
import type { FaultWords, ServiceOperation } from "~/replicas/replica";

/** `service`: begins the names of operations in generated clients. */
export const operationsOf = <Context>(
  service: string,
  { operations, common }: Router<Context>,
): ServiceOperation[] =>
  operations.map((operation) => {
    const words = operation.name
      .split(/[^a-zA-Z]/)
      .map(capitalized)
      .join("");
    const { template, verb, summary, description, path, query, answers } = operation;
    return {
      name: operation.name,
      path: template,
      method: verb.toLowerCase(),
      operationId: service + words,
      summary,
      description,
      params: path,
      query: Type.Object({ ...query.properties, ...common.properties }),
      body: bodyOf(operation, `${capitalized(service)}${words}Arguments`),
      answers,
    };
  });

function bodyOf<Context>({ body, media }: Operation<Context>, title: string) {
  const content: Record<string, TSchema> = {};
  if (body) content["application/json"] = { title, additionalProperties: false, ...body };
  else if (media.length > 0)
    content["application/octet-stream"] = Type.Unsafe({ title, type: "string", format: "binary" });
  return Object.keys(content).length > 0 ? content : undefined;
}

/** Calls that fit no operation: a path may hold a secret, or anything else. */
const UNKNOWN = "unknown";

/** `answer`: reports a problem in the service's words. */
export const faultsOf = <Context>(
  { operations, find }: Router<Context>,
  answer: FaultWords["answer"],
): FaultWords => ({
  selector: "method",
  names: () => operations.map(({ name }) => name),
  async select(call) {
    const route = find(call);
    call.account.name = "kind" in route ? UNKNOWN : route.operation.name;
    if ("kind" in route) return undefined;
    const { name, isReading } = route.operation;
    return { by: "method", names: [name], isReading };
  },
  answer,
});
