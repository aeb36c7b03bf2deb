/** Addresses of what events are about. */
import type { EventRow } from "~/replicas/events";
import { related, type View } from "~/replicas/tracker/events/view";
import {
  documentUrl,
  initiativeUrl,
  issueUrl,
  pageSlug,
  projectUrl,
  workspaceUrl,
} from "~/replicas/tracker/urls";

const HASH_LENGTH = 8;

type Page = (row: never, view: View) => string | undefined;
type Row = EventRow & { readonly id: string };

const slugged =
  (folder: string, name = "name") =>
  (row: Row, view: View) =>
    workspaceUrl(view, folder, pageSlug(row[name] ?? "", row["slugId"]));

/** The page of the first of these related rows. */
const pageOfFirst = (entity: string, fields: readonly string[]) => (row: Row, view: View) => {
  for (const field of fields) {
    const found = related(entity, row, field, view);
    if (found) return pageOf(field.charAt(0).toUpperCase() + field.slice(1), found, view);
  }
  return undefined;
};

const report = (entity: string, subject: string) => (row: Row, view: View) => {
  const page = pageOfFirst(entity, [subject])(row, view);
  return page === undefined ? undefined : `${page}/updates#${row["slugId"]}`;
};

/** The document, or the project, that a text belongs to. */
export const ownerOfContent = (id: unknown, view: View) => ({
  document: view.list("documents", "documentContentId", id)[0],
  project: view.list("projects", "documentContentId", id)[0],
});

function ofContent(row: Row, view: View): string | undefined {
  const { document, project } = ownerOfContent(row["documentContentId"], view);
  if (document) return pageOf("Document", document, view);
  return project && pageOf("Project", project, view);
}

const SUBJECTS = ["issue", "project", "initiative", "projectUpdate", "initiativeUpdate"];

const PAGES: { readonly [entity: string]: Page } = {
  Attachment: pageOfFirst("Attachment", ["issue"]),
  Comment: (row: Row, view) => {
    const page = pageOfFirst("Comment", SUBJECTS)(row, view) ?? ofContent(row, view);
    const base = (page ?? workspaceUrl(view)).replace(/#.*$/, "");
    return `${base}#comment-${row.id.slice(0, HASH_LENGTH)}`;
  },
  Customer: slugged("customer"),
  CustomerNeed: pageOfFirst("CustomerNeed", ["issue", "project"]),
  Cycle: (row: Row, view) => {
    const team = related("Cycle", row, "team", view);
    return team && workspaceUrl(view, "team", String(team["key"]), "cycle", String(row["number"]));
  },
  Document: (row: Row, view) => documentUrl(view, row),
  Initiative: (row: Row, view) => initiativeUrl(view, row),
  InitiativeUpdate: report("InitiativeUpdate", "initiative"),
  Issue: (row: Row, view) => issueUrl(view, row),
  Project: (row: Row, view) => projectUrl(view, row),
  ProjectUpdate: report("ProjectUpdate", "project"),
  Reaction: pageOfFirst("Reaction", ["comment", "issue", "projectUpdate", "initiativeUpdate"]),
  Release: slugged("release"),
  ReleaseNote: slugged("release-note", "title"),
  ReleasePipeline: slugged("releases"),
  User: ({ displayName }: Row, view) => workspaceUrl(view, "profiles", String(displayName)),
};

/** Undefined for what has no page. */
export const pageOf = (entity: string, row: EventRow, view: View): string | undefined =>
  PAGES[entity]?.(row as never, view);
