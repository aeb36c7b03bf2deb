/** Addresses of entities that have a page. */
import type { RowObject } from "~/graphql/page";
import { slugOf } from "~/replicas/tracker/ids";

type Context = { readonly workspace: { readonly urlKey: string } };

const HOST = "https://linear.app";

/** An address inside the workspace: `workspaceUrl(context, "team", "ENG")`. */
export const workspaceUrl = ({ workspace }: Context, ...path: readonly string[]) =>
  [HOST, workspace.urlKey, ...path.map(encodeURIComponent)].join("/");

/** `name-abc123def456`, the last part of most addresses. */
export const pageSlug = (name: unknown, slugId: unknown) =>
  [slugOf(String(name)), String(slugId)].filter((part) => part !== "").join("-");

export const issueUrl = (context: Context, { identifier, title }: RowObject) =>
  workspaceUrl(
    context,
    "issue",
    String(identifier),
    ...(slugOf(String(title)) ? [slugOf(String(title))] : []),
  );

export const projectUrl = (context: Context, { name, slugId }: RowObject) =>
  workspaceUrl(context, "project", pageSlug(name, slugId));

export const initiativeUrl = (context: Context, { name, slugId }: RowObject) =>
  workspaceUrl(context, "initiative", pageSlug(name, slugId));

export const documentUrl = (context: Context, { title, slugId }: RowObject) =>
  workspaceUrl(context, "document", pageSlug(title, slugId));

/** The page of what a notification is about. */
export function subjectUrl(context: Context, type: string, subject: RowObject): string {
  if (type === "Issue") return issueUrl(context, subject);
  if (type === "Project") return projectUrl(context, subject);
  return workspaceUrl(context, type.toLowerCase(), String(subject["slugId"]));
}
