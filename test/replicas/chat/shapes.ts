/** The fields that the official client's types know, read from its declarations. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../../node_modules/@slack/web-api/dist/types/response");

/** The types of one method's answer leave out much that those of another method have: they count together. */
const KNOWN = new Set(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".d.ts"))
    .flatMap((file) => [
      ...readFileSync(join(FOLDER, file), "utf8").matchAll(/^ {4}'?([\w-]+)'?\??: /gm),
    ])
    .map(([, name]) => name),
);

/** Objects whose keys are ids or names rather than fields. */
const MAPS = new Set(["emoji", "public", "private", "fields", "values", "event_payload", "args"]);

/** The paths of fields that no type knows. */
export function unknownFields(value: unknown, path = ""): string[] {
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap((item) => unknownFields(item, `${path}[]`));
  const isMap = MAPS.has(path.split(".").at(-1) ?? "");
  return Object.entries(value).flatMap(([key, each]) => [
    ...(isMap || KNOWN.has(key) ? [] : [`${path}.${key}`]),
    ...unknownFields(each, `${path}.${isMap ? "*" : key}`),
  ]);
}
