/** Every method that a client can call. Dispatch, documentation and coverage are read from this list. */
import { auth } from "~/replicas/chat/api/auth";
import { chat } from "~/replicas/chat/api/chat";
import { chatSchedule } from "~/replicas/chat/api/chat-schedule";
import { conversations } from "~/replicas/chat/api/conversations";
import { conversationsDirects } from "~/replicas/chat/api/conversations-directs";
import { conversationsMembers } from "~/replicas/chat/api/conversations-members";
import { conversationsReading } from "~/replicas/chat/api/conversations-reading";
import { files } from "~/replicas/chat/api/files";
import { filesUpload } from "~/replicas/chat/api/files-upload";
import { pins } from "~/replicas/chat/api/pins";
import { reactions } from "~/replicas/chat/api/reactions";
import { team } from "~/replicas/chat/api/team";
import { usergroups } from "~/replicas/chat/api/usergroups";
import { users } from "~/replicas/chat/api/users";
import { usersProfile } from "~/replicas/chat/api/users-profile";
import type { Method } from "~/replicas/chat/method";

const FAMILIES: readonly (readonly Method[])[] = [
  auth,
  chat,
  chatSchedule,
  conversations,
  conversationsDirects,
  conversationsMembers,
  conversationsReading,
  files,
  filesUpload,
  pins,
  reactions,
  team,
  usergroups,
  users,
  usersProfile,
];

export const METHODS: ReadonlyMap<string, Method> = new Map(
  FAMILIES.flat().map((method) => [method.name, method]),
);
