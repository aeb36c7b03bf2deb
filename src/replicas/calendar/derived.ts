/** Columns that the service computes. */
export const DERIVED: { readonly [table: string]: readonly string[] } = {
  users: ["settingsVersion"],
  calendars: ["version"],
  list_entries: ["version", "backgroundColor", "foregroundColor"],
  acl: ["version"],
  events: ["iCalUID", "startAt", "endAt", "sequence", "created", "updated", "version"],
  event_attendees: ["position", "updated", "version"],
};
