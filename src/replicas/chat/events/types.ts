/** The events that apps can subscribe to, with the scopes of which an app needs one. */

const CHANNELS = ["channels:read"];
const GROUPS = ["groups:read"];
const ROOMS = [...CHANNELS, ...GROUPS];
const DIRECTS = ["im:read"];
const REACTIONS = ["reactions:read"];
const PINS = ["pins:read"];
const STARS = ["stars:read"];
const FILES = ["files:read"];
const USERS = ["users:read"];
const PROFILES = ["users.profile:read", ...USERS];
const DND = ["dnd:read"];
const SUBTEAMS = ["usergroups:read"];
const METADATA = ["metadata.message:read"];

export const TYPES = {
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  app_mention: ["app_mentions:read"],
  link_shared: ["links:read"],
  message_metadata_posted: METADATA,
  message_metadata_updated: METADATA,
  message_metadata_deleted: METADATA,
  reaction_added: REACTIONS,
  reaction_removed: REACTIONS,
  pin_added: PINS,
  pin_removed: PINS,
  star_added: STARS,
  star_removed: STARS,
  channel_created: CHANNELS,
  channel_rename: CHANNELS,
  channel_archive: CHANNELS,
  channel_unarchive: CHANNELS,
  channel_left: CHANNELS,
  group_rename: GROUPS,
  group_archive: GROUPS,
  group_unarchive: GROUPS,
  group_left: GROUPS,
  group_open: GROUPS,
  group_close: GROUPS,
  member_joined_channel: ROOMS,
  member_left_channel: ROOMS,
  im_created: DIRECTS,
  im_open: DIRECTS,
  im_close: DIRECTS,
  file_created: FILES,
  file_public: FILES,
  file_shared: FILES,
  file_unshared: FILES,
  file_change: FILES,
  file_deleted: FILES,
  user_change: USERS,
  user_profile_changed: PROFILES,
  user_status_changed: PROFILES,
  dnd_updated: DND,
  dnd_updated_user: DND,
  subteam_created: SUBTEAMS,
  subteam_updated: SUBTEAMS,
  subteam_members_changed: SUBTEAMS,
  subteam_self_added: SUBTEAMS,
  subteam_self_removed: SUBTEAMS,
  emoji_changed: ["emoji:read"],
} as const satisfies { readonly [type: string]: readonly string[] };

export type EventType = keyof typeof TYPES;

/** Types that no method of the API causes: they are raised by hand. */
export const RAISED_TYPES = {
  app_home_opened: [],
  app_uninstalled: [],
  app_context_changed: ["assistant:write"],
  assistant_thread_started: ["assistant:write"],
  assistant_thread_context_changed: ["assistant:write"],
  channel_deleted: CHANNELS,
  function_executed: [],
  group_deleted: GROUPS,
  team_join: USERS,
  tokens_revoked: [],
  user_huddle_changed: PROFILES,
} as const satisfies { readonly [type: string]: readonly string[] };
