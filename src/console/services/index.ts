/** Places, code and forms of each service. One without an entry of its own has those of tables. */
import type { Service } from "~/clients/typescript/schema";
import { chat } from "~/console/services/chat/index";
import type { ConsoleService } from "~/console/services/service";
import { tables } from "~/console/services/tables/index";
import { tracker } from "~/console/services/tracker/index";

const SERVICES: Readonly<Record<string, ConsoleService>> & Record<Service, ConsoleService> = {
  chat,
  tracker,
};

/** `service`: undefined if it is not known. */
export const serviceOf = (service: string | undefined): ConsoleService =>
  (service && SERVICES[service]) || tables;
