import { type Static, t } from "elysia";
import { Timestamp } from "~/http/model";

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
