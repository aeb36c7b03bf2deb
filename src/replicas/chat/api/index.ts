/** Every method that a client can call. Dispatch, documentation and coverage are read from this list. */
import { auth } from "~/replicas/chat/api/auth";
import { chat } from "~/replicas/chat/api/chat";
import { conversations } from "~/replicas/chat/api/conversations";
import { reactions } from "~/replicas/chat/api/reactions";
import { users } from "~/replicas/chat/api/users";
import type { Method } from "~/replicas/chat/method";

export const METHODS: ReadonlyMap<string, Method> = new Map(
  [...auth, ...chat, ...conversations, ...reactions, ...users].map((method) => [
    method.name,
    method,
  ]),
);
