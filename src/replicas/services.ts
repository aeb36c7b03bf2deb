/** Facts of each service, apart from the code of its calls. */
import type { About } from "~/replicas/about";
import { about as calendar } from "~/replicas/calendar/about";
import { about as chat } from "~/replicas/chat/about";
import { about as mail } from "~/replicas/mail/about";
import { about as tracker } from "~/replicas/tracker/about";

export const SERVICES: ReadonlyMap<string, About> = new Map(
  [chat, tracker, mail, calendar].map((about) => [about.service, about]),
);

export const ABOUTS: readonly About[] = [...SERVICES.values()];

/** For a description: "chat or tracker". */
export const ANY_SERVICE = [...SERVICES.keys()].join(" or ");

/** A path on the server's own root: the services that have it, and the same path below the address of a service. */
export type RootPath = {
  readonly services: readonly [string, ...string[]];
  readonly path: string;
};

/** Whether a service has a path, without its first slash, on the server's own root. */
export const hasRoot = ({ roots }: About, path: string): boolean =>
  roots?.some((root) => (root.endsWith("/") ? path.startsWith(root) : path === root)) ?? false;

export function readRootPath(pathname: string): RootPath | undefined {
  const path = pathname.slice(1);
  const [first, ...others] = ABOUTS.filter((about) => hasRoot(about, path));
  return first && { services: [first.service, ...others.map(({ service }) => service)], path };
}
