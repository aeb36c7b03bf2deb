/** Every simulated service. */
import { chat } from "~/replicas/chat/index";
import type { Replica } from "~/replicas/replica";
import { tracker } from "~/replicas/tracker/index";

export const REPLICAS: ReadonlyMap<string, Replica> = new Map(
  [chat, tracker].map((replica) => [replica.service, replica]),
);

const BY_ALIAS = new Map([...REPLICAS.values()].map((replica) => [replica.alias, replica]));

/** Returns the service of this name or alias: `chat` for `slack`, and any unknown name as it is. */
export const serviceOf = (name: string): string => BY_ALIAS.get(name)?.service ?? name;
