/** Facts of each service, apart from the code of its calls. */
import type { About } from "~/replicas/about";
import { about as chat } from "~/replicas/chat/about";
import { about as mail } from "~/replicas/mail/about";
import { about as tracker } from "~/replicas/tracker/about";

export const SERVICES: ReadonlyMap<string, About> = new Map(
  [chat, tracker, mail].map((about) => [about.service, about]),
);

export const ABOUTS: readonly About[] = [...SERVICES.values()];

/** For a description: "chat or tracker". */
export const ANY_SERVICE = [...SERVICES.keys()].join(" or ");
