/** Every simulated service. */
import { chat } from "~/replicas/chat/index";
import type { Replica } from "~/replicas/replica";

export const REPLICAS: ReadonlyMap<string, Replica> = new Map(
  [chat].map((replica) => [replica.service, replica]),
);
