/** Which apps receive an event of an entity: those whose user may see it, and webhooks of its team. */
import type { EventApp, EventRow } from "~/replicas/events";
import type { Audience } from "~/replicas/tracker/events/change";
import { ownerOfContent } from "~/replicas/tracker/events/pages";
import { related, type View } from "~/replicas/tracker/events/view";

/** Whether an app may see something, and `open` if it belongs to no team. */
type Access = "yes" | "no" | "open";
type Sight = (app: EventApp) => Access;

const anyone: Sight = () => "open";
const both =
  (...all: readonly Sight[]): Sight =>
  (app) => {
    const found = all.map((look) => look(app));
    if (found.includes("no")) return "no";
    return found.includes("yes") ? "yes" : "open";
  };

const team =
  (id: unknown, { workspace, list }: View): Sight =>
  ({ user, webhook }) => {
    const only = webhook?.teamId ?? null;
    if (only !== null) return only === id ? "yes" : "no";
    if (!workspace.privateTeamIds.includes(String(id))) return "yes";
    if (webhook) return "no";
    const memberships = list("team_memberships", "userId", user);
    return memberships.some(({ teamId }) => teamId === id) ? "yes" : "no";
  };

const ofTeam = (row: EventRow, view: View): Sight =>
  row["teamId"] == null ? anyone : team(row["teamId"], view);

function issue(row: EventRow, view: View): Sight {
  const shared = (row["sharedWithUserIds"] ?? []) as readonly string[];
  return (app) => (shared.includes(app.user) ? "yes" : ofTeam(row, view)(app));
}

/** A project has teams; who sees one of them sees it. */
function project({ id }: EventRow, view: View): Sight {
  const teams = view.list("project_teams", "projectId", id).map(({ teamId }) => team(teamId, view));
  if (teams.length === 0) return anyone;
  return (app) => (teams.some((look) => look(app) === "yes") ? "yes" : "no");
}

/** A document, or the comment of one. */
const document = (row: EventRow, view: View): Sight =>
  both(ofTeam(row, view), ofRelated("Document", ["issue", "project"])(row, view));

const SIGHTS: { readonly [entity: string]: (row: EventRow, view: View) => Sight } = {
  Issue: issue,
  Project: project,
  Document: document,
  Comment: comment,
  Cycle: ofTeam,
  IssueLabel: ofTeam,
  ProjectLabel: ofTeam,
  Attachment: ofRelated("Attachment", ["issue"]),
  CustomerNeed: ofRelated("CustomerNeed", ["issue", "project"]),
  ProjectUpdate: ofRelated("ProjectUpdate", ["project"]),
  Reaction: ofRelated("Reaction", ["issue", "comment", "projectUpdate"]),
};

const ENTITY_OF: { readonly [field: string]: string } = {
  issue: "Issue",
  project: "Project",
  comment: "Comment",
  projectUpdate: "ProjectUpdate",
};

/** Rows that depend on others: users who see all of those see them. */
function ofRelated(entity: string, fields: readonly string[]) {
  return (row: EventRow, view: View): Sight =>
    both(
      ...fields.flatMap((field) => {
        const found = related(entity, row, field, view);
        const sight = SIGHTS[ENTITY_OF[field] ?? ""];
        return found && sight ? [sight(found, view)] : [];
      }),
    );
}

function comment(row: EventRow, view: View): Sight {
  const content = ownerOfContent(row["documentContentId"], view);
  return both(
    ofRelated("Comment", ["issue", "project", "projectUpdate"])(row, view),
    content.document ? document(content.document, view) : anyone,
    content.project ? project(content.project, view) : anyone,
  );
}

export function audienceOf(entity: string, row: EventRow, view: View): Audience {
  const sight = SIGHTS[entity]?.(row, view) ?? anyone;
  return (app) => {
    const access = sight(app);
    if (app.webhook && app.webhook.teamId !== null)
      return access === "yes" ? undefined : "it does not belong to the team of the webhook";
    if (access !== "no") return undefined;
    return app.webhook
      ? "it belongs to a private team"
      : "it belongs to a private team that its user is not in";
  };
}
