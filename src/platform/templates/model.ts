import { type Static, t } from "elysia";
import { Count, ServiceName, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";

export const Visibility = t.Union([t.Literal("public"), t.Literal("private")]);

export const Template = t.Object({
  id: t.String(),
  name: t.String(),
  service: t.String(),
  description: t.String(),
  location: t.String({ description: "The schema that holds its rows" }),
  visibility: Visibility,
  createdAt: Timestamp,
});
export type Template = Static<typeof Template>;

export const WholeTemplate = t.Object({
  ...Template.properties,
  tables: t.Record(t.String(), Count, { description: "Rows of each table" }),
});

export const TemplateQuery = t.Object({
  service: t.Optional(t.String({ maxLength: 255, description: "`chat` or `tracker`" })),
  visibility: t.Optional(Visibility),
  ...PageQuery,
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const TemplateList = t.Object({
  templates: t.Array(Template),
  nextCursor: NextCursor,
});

/** Checked by the domain, so that a wrong one is `invalid_template_name`. */
const Name = t.String({ description: "Lower-case letters, digits and _; begins with a letter" });

const Described = {
  name: Name,
  service: ServiceName,
  description: t.Optional(t.String({ maxLength: 10_000 })),
  visibility: t.Optional(Visibility),
};

export const NewTemplate = t.Object({
  environmentId: t.String({ minLength: 1, maxLength: 64 }),
  ...Described,
});
export type NewTemplate = Static<typeof NewTemplate>;

export const ImportedTemplate = t.Object({
  ...Described,
  seed: t.Record(t.String(), t.Unknown(), {
    description:
      "As the files of `seeds/`, which may also name a seed it `extends`; or `rows`: tables to lists of their rows",
  }),
});
export type ImportedTemplate = Static<typeof ImportedTemplate>;

export const CreatedTemplate = t.Object({
  templateId: t.String(),
  name: t.String(),
  location: t.String(),
  service: t.String(),
  visibility: Visibility,
});

export const Seed = t.Record(t.String(), t.Unknown(), {
  description:
    "In the format of the files of `seeds/`, with `template`, `service` and `description`",
});
