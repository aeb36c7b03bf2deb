import { type Static, t } from "elysia";
import { Count, EnvironmentRef, Id, Kind, KindName, Service, Timestamp } from "~/http/model";
import { NextCursor, PageQuery } from "~/http/page";

export const Visibility = t.Union([t.Literal("public"), t.Literal("private")], {
  title: "Visibility",
  description: "Who can see it: all users, or only its owner",
  examples: ["private"],
});

export const TEMPLATE_NAME = "^[a-z][a-z0-9_]{0,62}$";
export const TemplateName = t.String({
  pattern: TEMPLATE_NAME,
  description: "Name of a template: lower-case letters, digits and _; begins with a letter",
  examples: ["chat_default"],
});
/** A template's name in a request. Any text is allowed: an impossible name is not found. */
export const TemplateRef = t.String({ minLength: 1, maxLength: 255, documented: TemplateName });

export const Description = t.String({
  maxLength: 10_000,
  description: "For people",
  examples: ["After the first day"],
});

const Location = t.String({
  description: "The schema that holds its rows",
  examples: ["tpl_4f2a9c0e7b1d4e6f8a3c5d7e9f1b2c4d"],
});

const Services = t.Array(Service, {
  description: "Its services: several in a world",
  examples: [Service["enum"].slice(0, 1)],
});

export const Template = t.Object(
  {
    id: Id,
    name: TemplateName,
    service: Kind,
    services: Services,
    description: Description,
    location: Location,
    visibility: Visibility,
    createdAt: Timestamp,
  },
  { title: "Template", description: "A saved state that environments are copied from" },
);
export type Template = Static<typeof Template>;

export const WholeTemplate = t.Object(
  {
    ...Template.properties,
    now: t.Nullable(Timestamp, {
      description: "The day on which its story plays: environments begin then. Null: real time",
    }),
    tables: t.Record(t.String(), Count, {
      description: "Number of rows of each table",
      examples: [{ users: 3, channels: 2, messages: 3 }],
    }),
  },
  { title: "TemplateDetails", description: "A template and the number of rows it has" },
);

/** Checked by the domain, so that an unknown one is `invalid_service`. */
export const ServiceFilter = t.String({ maxLength: 255, documented: Kind });

export const TemplateQuery = t.Object({
  service: t.Optional(ServiceFilter),
  has: t.Optional(
    t.String({
      maxLength: 255,
      documented: Service,
      description: "Only templates with this service, alone or in a world",
    }),
  ),
  visibility: t.Optional(Visibility),
  ...PageQuery,
});
export type TemplateQuery = Static<typeof TemplateQuery>;

export const TemplateList = t.Object(
  { templates: t.Array(Template, { description: "One page" }), nextCursor: NextCursor },
  { title: "TemplateList", description: "A page of templates, newest first" },
);

/** Checked by the domain, so that a wrong one is `invalid_template_name`. */
const NewName = t.String({
  documented: TemplateName,
  description:
    "Unique among the templates that the caller can see: lower-case letters, digits and _; begins with a letter",
  examples: ["first_day"],
});

const Described = {
  name: NewName,
  service: KindName,
  description: t.Optional(Description),
  visibility: t.Optional(Visibility),
};

export const NewTemplate = t.Object(
  { environmentId: EnvironmentRef, ...Described },
  { title: "NewTemplate", description: "The environment to save, and the name of the copy" },
);
export type NewTemplate = Static<typeof NewTemplate>;

export const ImportedTemplate = t.Object(
  {
    ...Described,
    seed: t.Record(t.String(), t.Unknown(), {
      description:
        "As the files of `seeds/`, which may also name a seed it `extends`; or `rows`: tables to lists of their rows",
      examples: [
        {
          extends: "chat_base",
          messages: [
            { channel: "general", ts: "1767603600.731938", user: "john", text: "Welcome!" },
          ],
        },
      ],
    }),
  },
  { title: "ImportedTemplate", description: "A seed, and the name of the template built from it" },
);
export type ImportedTemplate = Static<typeof ImportedTemplate>;

export const TemplateChange = t.Object(
  { description: t.Optional(Description), visibility: t.Optional(Visibility) },
  { title: "TemplateChange", description: "The fields to change" },
);
export type TemplateChange = Static<typeof TemplateChange>;

export const DeletedTemplate = t.Object(
  { templateId: Id, status: t.Literal("deleted") },
  { title: "DeletedTemplate", description: "A template that was deleted" },
);

export const CreatedTemplate = t.Object(
  {
    templateId: Id,
    name: TemplateName,
    location: Location,
    service: Kind,
    services: Services,
    visibility: Visibility,
  },
  { title: "CreatedTemplate", description: "The new template" },
);

export const TemplateImport = t.Object(
  {
    ...CreatedTemplate.properties,
    notes: t.Array(t.String(), {
      description: "Ids of the seed that were mapped, and fields that were ignored",
      examples: [['issues[0].id: "iss_1" became 0f0e9d1c-0000-4000-8000-000000000000']],
    }),
  },
  { title: "TemplateImport", description: "The new template, and what was changed to make it" },
);

export const SeedQuery = t.Object({
  tables: t.Optional(
    t.String({
      pattern: "^(\\*|\\w+(,\\w+)*)$",
      maxLength: 2_000,
      description:
        "Exports `rows` in place of the seed that the template was built from: of these tables, separated by commas, or of all (`*`)",
      examples: ["users,channels"],
    }),
  ),
});

export const Seed = t.Record(t.String(), t.Unknown(), {
  description:
    "In the format of the files of `seeds/`, with `template`, `service` and `description`",
  examples: [
    {
      template: "chat_default",
      service: "chat",
      description: "3 users, 2 channels, 3 messages",
      extends: "chat_base",
      messages: [{ channel: "general", ts: "1767603600.731938", user: "john", text: "Welcome!" }],
    },
  ],
  title: "Seed",
});
