/** Personal data of users, and their notifications. */
import type { Expression, Model } from "~/graphql/model";
import { children, model, record } from "~/replicas/tracker/store/models/define";
import { teamInUse } from "~/replicas/tracker/store/models/expressions";
import {
  inVisible,
  inVisibleIssue,
  inVisibleProject,
  inVisibleTeam,
  together,
} from "~/replicas/tracker/store/models/visibility";

/** Only the viewer's own. */
const own =
  (column: string): NonNullable<Model["visible"]> =>
  (row, { sql, actor }) =>
    sql`${row(column)} = ${actor}::uuid`;

const inVisibleView = together(
  inVisibleTeam(),
  (row, { sql, actor }) =>
    sql`(${row("shared")} or ${row("ownerId")} = ${actor}::uuid or ${row("creatorId")} = ${actor}::uuid)`,
);

/** The kind of subject of a notification. */
const subscriptionType: Expression = (row, { sql }) => sql`(case
  when ${row("issueId")} is not null then 'issue'
  when ${row("projectId")} is not null then 'project'
  when ${row("initiativeId")} is not null then 'initiative'
  when ${row("documentId")} is not null then 'document' end)`;

export const PERSONAL: readonly Model[] = [
  model("Favorite", {
    many: { children: children("Favorite", "parentId") },
    visible: own("ownerId"),
  }),
  model("Notification", {
    many: {
      subscriptions: [
        "NotificationSubscription",
        (row, related, { sql, table }) => sql`(
          ${related("subscriberId")} = ${row("userId")} and exists (
            select from ${table("issues")} i where i.id = ${row("issueId")} and (
              i."teamId" = ${related("teamId")} or i."projectId" = ${related("projectId")} or i."cycleId" = ${related("cycleId")}
            )
          )
        )`,
      ],
    },
    computed: {
      teamId: (row, { sql, table }) =>
        sql`(select i."teamId" from ${table("issues")} i where i.id = ${row("issueId")})`,
    },
    one: { team: "Team" },
    filters: { subscriptionType },
    visible: together(own("userId"), inVisibleIssue(), inVisibleProject()),
    withRow: ["team"],
  }),
  model("NotificationSubscription", {
    visible: together(
      own("subscriberId"),
      inVisibleTeam(),
      inVisibleProject(),
      inVisible("cycleId", "cycles", inVisibleTeam()),
      inVisible("labelId", "issue_labels", inVisibleTeam()),
      inVisible("customViewId", "custom_views", inVisibleView),
    ),
  }),
  model("CustomView", {
    computed: {
      organizationViewPreferencesId: (row, { sql, table }) => sql`(
        select p.id from ${table("records")} p where p.type = 'ViewPreferences'
          and (p.data->>'customViewId')::uuid = ${row("id")} and p.data->>'type' = 'organization'
          order by p."createdAt", p.id limit 1
      )`,
      userViewPreferencesId: (row, { sql, table, actor }) => sql`(
        select p.id from ${table("records")} p where p.type = 'ViewPreferences'
          and (p.data->>'customViewId')::uuid = ${row("id")} and p.data->>'type' = 'user'
          and (p.data->>'userId')::uuid = ${actor}::uuid
          order by p."createdAt", p.id limit 1
      )`,
    },
    filters: { hasFacet: (_row, { sql }) => sql`false` },
    one: {
      organizationViewPreferences: "ViewPreferences",
      userViewPreferences: "ViewPreferences",
    },
    inUse: teamInUse,
    visible: inVisibleView,
  }),
  model("Template", {
    filters: { inheritedFromId: (_row, { sql }) => sql`null::uuid` },
    inUse: teamInUse,
    visible: inVisibleTeam(),
  }),
  model("Webhook", { inUse: teamInUse, visible: inVisibleTeam() }),
  model("EntityExternalLink", {
    visible: together(inVisibleTeam(), inVisibleProject()),
  }),
  record("ViewPreferences", {
    customViewId: "uuid",
    initiativeId: "uuid",
    initiativeLabelId: "uuid",
    insights: "jsonb",
    labelId: "uuid",
    preferences: "jsonb",
    projectId: "uuid",
    projectLabelId: "uuid",
    releasePipelineId: "uuid",
    teamId: "uuid",
    userId: "uuid",
  }),
  record("Emoji", { creatorId: "uuid" }),
  record("Draft", {
    customerNeedId: "uuid",
    data: "jsonb",
    initiativeId: "uuid",
    initiativeUpdateId: "uuid",
    issueId: "uuid",
    parentCommentId: "uuid",
    projectId: "uuid",
    projectUpdateId: "uuid",
    teamId: "uuid",
    userId: "uuid",
  }),
  record("DocumentContentHistoryType", { actorIds: "jsonb", contentData: "jsonb" }),
];
