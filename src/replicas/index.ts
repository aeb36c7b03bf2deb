/** Every simulated service. */
import { chat } from "~/replicas/chat/index";
import type { Replica } from "~/replicas/replica";
import { tracker } from "~/replicas/tracker/index";

export const REPLICAS: ReadonlyMap<string, Replica> = new Map(
  [chat, tracker].map((replica) => [replica.service, replica]),
);
