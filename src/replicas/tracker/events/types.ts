/** The resource types that apps can subscribe to. */

/** Entities: their rows are the `data` of events. */
export const ENTITY_TYPES = [
  "Attachment",
  "Comment",
  "Customer",
  "CustomerNeed",
  "Cycle",
  "Document",
  "Initiative",
  "InitiativeLabel",
  "InitiativeUpdate",
  "Issue",
  "IssueLabel",
  "Project",
  "ProjectLabel",
  "ProjectUpdate",
  "Reaction",
  "Release",
  "ReleaseNote",
  "User",
] as const;

export type EntityType = (typeof ENTITY_TYPES)[number];

/** Events about the user of an app: no other app receives them. */
const OWN_TYPES = ["AgentSessionEvent", "AppUserNotification", "PermissionChange"] as const;

/** Types that no change of the environment causes: they are raised by hand. */
const RAISED_TYPES = ["AuditEntry", "IssueSLA", "OAuthApp", "OAuthAuthorization"] as const;

/** Scopes of an app do not limit its events. */
export const TYPES: { readonly [type: string]: readonly string[] } = Object.fromEntries(
  [...ENTITY_TYPES, ...OWN_TYPES, ...RAISED_TYPES].map((type) => [type, []]),
);
