/** The services, with their rows. One without an entry of its own has that of tables. */
import type { Service } from "~/clients/typescript/schema";
import { chatRecords } from "~/console/services/chat/records";
import type { ServiceRecords } from "~/console/services/shape";
import { tableRecords } from "~/console/services/tables/records";
import { trackerRecords } from "~/console/services/tracker/records";

const RECORDS: Readonly<Record<string, ServiceRecords>> & Record<Service, ServiceRecords> = {
  chat: chatRecords,
  tracker: trackerRecords,
};

/** For choices. */
export const SERVICES = Object.keys(RECORDS);

/** A template that every server has, for first steps. */
export const FIRST_TEMPLATE = "chat_default";

/** `service`: undefined if it is not known. */
export const recordsOf = (service: string | undefined): ServiceRecords =>
  (service && RECORDS[service]) || tableRecords;
