/** Every method that a client can call. Dispatch, documentation and coverage are read from this list. */
import { auth } from "~/replicas/chat/api/auth";
import { chat } from "~/replicas/chat/api/chat";
import { chatSchedule } from "~/replicas/chat/api/chat-schedule";
import { conversations } from "~/replicas/chat/api/conversations";
import { reactions } from "~/replicas/chat/api/reactions";
import { users } from "~/replicas/chat/api/users";
import type { Method } from "~/replicas/chat/method";

export const METHODS: ReadonlyMap<string, Method> = new Map(
  [...auth, ...chat, ...chatSchedule, ...conversations, ...reactions, ...users].map((method) => [
    method.name,
    method,
  ]),
);
