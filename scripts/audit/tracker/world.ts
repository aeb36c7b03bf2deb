/** The contents of a workspace of the tracker. */
import { type JsonObject, type Tables, textOf } from "../model";
import { rows } from "../moves";

export const ENG = "c0000000-0000-4000-8000-000000000011";
export const OPS = "c0000000-0000-4000-8000-000000000012";
export const AGENT = "b0000000-0000-4000-8000-000000000001";

export const idOf = (row: JsonObject | undefined) => textOf(row?.["id"]);
const isLive = (row: JsonObject) => row["archivedAt"] === null && row["trashed"] !== true;

export const issuesOf = (world: Tables) => rows(world, "issues").filter(isLive);
