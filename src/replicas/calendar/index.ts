/** The calendar service, compatible with the Google Calendar API. */
import { about } from "~/replicas/calendar/about";
import { handle } from "~/replicas/calendar/answer";
import { ROUTER } from "~/replicas/calendar/api/index";
import { batches } from "~/replicas/calendar/batches";
import { TABLE_ALIASES } from "~/replicas/calendar/compatibility";
import { DERIVED } from "~/replicas/calendar/derived";
import { documents } from "~/replicas/calendar/discovery";
import { INDENT } from "~/replicas/calendar/errors";
import { faults } from "~/replicas/calendar/faults";
import { vendor } from "~/replicas/calendar/mcp/vendor";
import { events } from "~/replicas/calendar/notifications";
import type { TableName } from "~/replicas/calendar/operation";
import { schedule } from "~/replicas/calendar/schedule";
import { seedCalendar } from "~/replicas/calendar/seed";
import { findUserId, listDirectory, listPeople } from "~/replicas/calendar/store/users";
import tables from "~/replicas/calendar/tables.sql" with { type: "text" };
import { denialOf, tokenOf } from "~/replicas/kit/google/credentials";
import { operationsOf } from "~/replicas/kit/rest-contract";
import { createReplica } from "~/replicas/replica";

export const calendar = createReplica<TableName>({
  service: about.service,
  about,
  tables,
  derived: DERIVED,
  tableAliases: TABLE_ALIASES,
  seed: seedCalendar,
  findUser: findUserId,
  listPeople,
  listDirectory,
  credential: tokenOf,
  denial: denialOf(INDENT),
  batches,
  documents,
  schedule,
  events,
  handle,
  faults,
  toolProfiles: { vendor },
  operations: () => operationsOf(about.service, ROUTER),
});
