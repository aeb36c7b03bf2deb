/** Comparisons of a tool listing with a capture of the vendor's. */
import type { ToolListing } from "~/replicas/tools";

const isSchema = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value without the descriptions of schemas; a property of this name stays. */
export const undescribed = (value: unknown, isMap = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => undescribed(item));
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isMap || key !== "description")
      .map(([key, item]) => [key, undescribed(item, key === "properties" && !isMap)]),
  );
};

/** Tools without a description, and arguments, as `tool.argument`. */
export const withoutDescription = (tools: readonly ToolListing[]): string[] =>
  tools.flatMap(({ name, description, inputSchema }) => [
    ...(description.length > 10 ? [] : [name]),
    ...Object.entries(inputSchema.properties ?? {})
      .filter(([, schema]) => !(schema as { description?: string }).description)
      .map(([argument]) => `${name}.${argument}`),
  ]);
