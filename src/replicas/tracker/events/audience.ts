/** Which apps receive an event of an entity: those whose user may see it. */
import type { EventRow } from "~/replicas/events";
import type { Audience } from "~/replicas/tracker/events/change";
import { ownerOfContent } from "~/replicas/tracker/events/pages";
import { related, type View } from "~/replicas/tracker/events/view";

/** Whether a user may see something. */
type Sight = (user: string) => boolean;

const anyone: Sight = () => true;
const both =
  (...all: readonly Sight[]): Sight =>
  (user) =>
    all.every((may) => may(user));

const team =
  (id: unknown, { workspace, list }: View): Sight =>
  (user) =>
    !workspace.privateTeamIds.includes(String(id)) ||
    list("team_memberships", "userId", user).some(({ teamId }) => teamId === id);

const ofTeam = (row: EventRow, view: View): Sight =>
  row["teamId"] == null ? anyone : team(row["teamId"], view);

function issue(row: EventRow, view: View): Sight {
  const shared = (row["sharedWithUserIds"] ?? []) as readonly string[];
  return (user) => shared.includes(user) || ofTeam(row, view)(user);
}

/** A project has teams; who sees one of them sees it. */
function project({ id }: EventRow, view: View): Sight {
  const teams = view.list("project_teams", "projectId", id).map(({ teamId }) => team(teamId, view));
  return (user) => teams.length === 0 || teams.some((may) => may(user));
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
  return ({ user }) =>
    sight(user) ? undefined : "it belongs to a private team that its user is not in";
}
