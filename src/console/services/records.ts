/** The services, with their rows. One without an entry of its own has that of tables. */
import type { Service } from "~/clients/typescript/schema";
import { calendarRecords } from "~/console/services/calendar/records";
import { chatRecords } from "~/console/services/chat/records";
import { mailRecords } from "~/console/services/mail/records";
import { memberOf, ownEvent, prefixOf, WORLD, withPrefix } from "~/console/services/member";
import { type ServiceRecords, USERS } from "~/console/services/shape";
import { tableRecords } from "~/console/services/tables/records";
import { trackerRecords } from "~/console/services/tracker/records";

const RECORDS: Readonly<Record<string, ServiceRecords>> & Record<Service, ServiceRecords> = {
  chat: chatRecords,
  tracker: trackerRecords,
  mail: mailRecords,
  calendar: calendarRecords,
};

/** For choices of environments and templates. */
export const KINDS = [...Object.keys(RECORDS), WORLD];

/** The service of a table of a world, and the table's name there. Undefined if the console does not know the service. */
export function ownerOf(table: string): { service?: string; records: ServiceRecords; own: string } {
  const service = Object.keys(RECORDS).find((each) => table.startsWith(prefixOf(each)));
  if (service === undefined) return { records: tableRecords, own: table };
  return { service, records: recordsOf(service), own: table.slice(prefixOf(service).length) };
}

const ALL = Object.entries(RECORDS);

/** Those of all services, by the names of their tables in a world. */
const worldRecords: ServiceRecords = {
  people: USERS,
  // Which services a world has is not known here, so their tables can't be listed.
  identified: ["*"],
  subject: undefined,
  keys: Object.fromEntries(
    ALL.flatMap(([service, { keys }]) =>
      Object.entries(keys).map(([table, columns]) => [prefixOf(service) + table, columns]),
    ),
  ),
  placeOf: (table, row) => {
    const { records, own } = ownerOf(table);
    return records.placeOf(own, row);
  },
  ownersOf: (table, row) => {
    const { records, own } = ownerOf(table);
    const prefix = table.slice(0, table.length - own.length);
    return records.ownersOf(own, row).map(([name, owner]) => [prefix + name, owner] as const);
  },
  precedes: (table, row, key) => {
    const { records, own } = ownerOf(table);
    return records.precedes(own, row, key);
  },
  named: (table, name) => {
    const { records, own } = ownerOf(table);
    return records.named(own, name);
  },
  membersOf: (table, row) => {
    const { records, own } = ownerOf(table);
    return records.membersOf(own, row);
  },

  /** A service that does not answer, such as one without an account of the person, has no rows. */
  async base(ask, environment, events) {
    const parts = await Promise.all(
      Object.keys(environment.services).map(async (service) => {
        const member = memberOf(environment, service);
        const own = events.flatMap((event) => ownEvent(member, event) ?? []);
        const rows = await recordsOf(service)
          .base(ask, member, own)
          .catch(() => ({}));
        return withPrefix(rows, prefixOf(service));
      }),
    );
    return Object.assign({}, ...parts);
  },
};

/** A template that every server has, for first steps. */
export const FIRST_TEMPLATE = "chat_default";

/** `service`: undefined if it is not known. */
export const recordsOf = (service: string | undefined): ServiceRecords =>
  service === WORLD ? worldRecords : (service && RECORDS[service]) || tableRecords;
