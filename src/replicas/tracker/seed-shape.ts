/** The shape of a tracker seed, derived from its sections. */
import { type TSchema, Type } from "@sinclair/typebox";
import { HEADING } from "~/replicas/kit/seed-shape";
import { columnsIn, modelOf, relationsOf, SECTIONS, TOP } from "~/replicas/tracker/seed-sections";
import { TABLES } from "~/replicas/tracker/store/tables";

const Name = Type.Union([Type.String(), Type.Number()]);
const Moment = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$" });
const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" });
const Uuid = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" });

/** A value of a column, by its Postgres type. */
function Leaf(type: string): TSchema {
  if (type.endsWith("[]")) return Type.Array(Leaf(type.slice(0, -2)));
  if (type.startsWith("timestamptz")) return Moment;
  if (type === "date") return Day;
  if (type === "uuid") return Uuid;
  if (type === "boolean") return Type.Boolean();
  if (type === "jsonb") return Type.Unknown();
  return /^(int|float8)/.test(type) ? Type.Number() : Type.String();
}

function shapeOf(name: string, depth: number): TSchema {
  const section = SECTIONS[name];
  if (!section) throw new Error(`a seed has no ${name}`);
  const model = modelOf(section);
  const keys = new Set(relationsOf(model).map(([, { key }]) => key));
  const properties: Record<string, TSchema> = {};
  const ids = section.ids ?? {};
  for (const [, column] of Object.values(ids)) keys.add(column);
  for (const [column, type] of columnsIn(section))
    if (!keys.has(column)) properties[column] = Leaf(type);
  for (const field of Object.keys(ids)) properties[field] = Type.Array(Name);
  for (const [relation] of relationsOf(model)) properties[relation] = Name;
  for (const field of Object.keys(section.pairs ?? {})) properties[field] = Type.Array(Name);
  if (section.type === "Team") {
    properties["owners"] = Type.Array(Name);
    properties["membershipIds"] = Type.Record(Type.String(), Uuid);
  }
  // One level of recursion: replies, labels of a group.
  for (const [field, nested] of Object.entries(section.nested ?? {}))
    if (nested.section !== name || depth === 0)
      properties[field] = Type.Array(
        shapeOf(nested.section, nested.section === name ? depth + 1 : depth),
      );
  const required = new Set(section.required);
  return Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([field, shape]) => [
        field,
        required.has(field) ? shape : Type.Optional(shape),
      ]),
    ),
    { additionalProperties: false },
  );
}

export const TrackerSeed = Type.Object(
  {
    organization: Type.Object(
      {
        ...Object.fromEntries(
          [...(TABLES.get("organizations") ?? [])].map(([column, { type }]) => [
            column,
            Type.Optional(Leaf(type)),
          ]),
        ),
        id: Uuid,
        createdAt: Moment,
        name: Type.String(),
        urlKey: Type.String({ pattern: "^[a-z0-9-]+$" }),
      },
      { additionalProperties: false },
    ),
    ...Object.fromEntries(
      TOP.map((name) => {
        const list = Type.Array(shapeOf(name, 0));
        return [name, name === "users" || name === "teams" ? list : Type.Optional(list)];
      }),
    ),
    ...HEADING,
  },
  { additionalProperties: false },
);
