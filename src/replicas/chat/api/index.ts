/** Every method that a client can call. Dispatch, documentation and coverage are read from this list. */

import { agents } from "~/replicas/chat/api/agents";
import { apps } from "~/replicas/chat/api/apps";
import { assistant } from "~/replicas/chat/api/assistant";
import { auth } from "~/replicas/chat/api/auth";
import { blocks } from "~/replicas/chat/api/blocks";
import { bookmarks } from "~/replicas/chat/api/bookmarks";
import { calls } from "~/replicas/chat/api/calls";
import { canvases } from "~/replicas/chat/api/canvases";
import { chat } from "~/replicas/chat/api/chat";
import { chatSchedule } from "~/replicas/chat/api/chat-schedule";
import { chatStreams } from "~/replicas/chat/api/chat-streams";
import { chatUnfurl } from "~/replicas/chat/api/chat-unfurl";
import { connect } from "~/replicas/chat/api/connect";
import { conversations } from "~/replicas/chat/api/conversations";
import { conversationsDirects } from "~/replicas/chat/api/conversations-directs";
import { conversationsMembers } from "~/replicas/chat/api/conversations-members";
import { conversationsReading } from "~/replicas/chat/api/conversations-reading";
import { dnd } from "~/replicas/chat/api/dnd";
import { files } from "~/replicas/chat/api/files";
import { filesPublic } from "~/replicas/chat/api/files-public";
import { filesRemote } from "~/replicas/chat/api/files-remote";
import { filesUpload } from "~/replicas/chat/api/files-upload";
import { interactivity } from "~/replicas/chat/api/interactivity";
import { lists } from "~/replicas/chat/api/lists";
import { listsItems } from "~/replicas/chat/api/lists-items";
import { migration } from "~/replicas/chat/api/migration";
import { pins } from "~/replicas/chat/api/pins";
import { reactions } from "~/replicas/chat/api/reactions";
import { reminders } from "~/replicas/chat/api/reminders";
import { rtm } from "~/replicas/chat/api/rtm";
import { search } from "~/replicas/chat/api/search";
import { stars } from "~/replicas/chat/api/stars";
import { team } from "~/replicas/chat/api/team";
import { teamAdmin } from "~/replicas/chat/api/team-admin";
import { teamSettings } from "~/replicas/chat/api/team-settings";
import { usergroups } from "~/replicas/chat/api/usergroups";
import { usergroupsEditing } from "~/replicas/chat/api/usergroups-editing";
import { users } from "~/replicas/chat/api/users";
import { usersPhoto } from "~/replicas/chat/api/users-photo";
import { usersProfile } from "~/replicas/chat/api/users-profile";
import { views } from "~/replicas/chat/api/views";
import type { Method } from "~/replicas/chat/method";

const FAMILIES: readonly (readonly Method[])[] = [
  agents,
  apps,
  assistant,
  auth,
  blocks,
  bookmarks,
  calls,
  canvases,
  chat,
  chatSchedule,
  chatStreams,
  chatUnfurl,
  connect,
  conversations,
  conversationsDirects,
  conversationsMembers,
  conversationsReading,
  dnd,
  files,
  filesPublic,
  filesRemote,
  filesUpload,
  interactivity,
  lists,
  listsItems,
  migration,
  pins,
  reactions,
  reminders,
  rtm,
  search,
  stars,
  team,
  teamAdmin,
  teamSettings,
  usergroups,
  usergroupsEditing,
  users,
  usersPhoto,
  usersProfile,
  views,
];

export const METHODS: ReadonlyMap<string, Method> = new Map(
  FAMILIES.flat().map((method) => [method.name, method]),
);
