/** The mail service, compatible with the Gmail API. */
import { denialOf, tokenOf } from "~/replicas/kit/google/credentials";
import { operationsOf } from "~/replicas/kit/rest-contract";
import { about } from "~/replicas/mail/about";
import { handle } from "~/replicas/mail/answer";
import { ROUTER } from "~/replicas/mail/api/index";
import { batches } from "~/replicas/mail/batches";
import { deliver } from "~/replicas/mail/delivery/outside";
import { DERIVED, DERIVED_ROWS } from "~/replicas/mail/derived";
import { documents } from "~/replicas/mail/discovery";
import { INDENT } from "~/replicas/mail/errors";
import { faults } from "~/replicas/mail/faults";
import { vendor } from "~/replicas/mail/mcp/vendor";
import { events } from "~/replicas/mail/notifications";
import type { TableName } from "~/replicas/mail/operation";
import { seedMail } from "~/replicas/mail/seed";
import { findUserId, listDirectory, listPeople } from "~/replicas/mail/store/mailboxes";
import tables from "~/replicas/mail/tables.sql" with { type: "text" };
import { uploads } from "~/replicas/mail/uploads";
import { createReplica } from "~/replicas/replica";

export const mail = createReplica<TableName>({
  service: about.service,
  about,
  tables,
  derived: DERIVED,
  derivedRows: DERIVED_ROWS,
  seed: seedMail,
  findUser: findUserId,
  listPeople,
  listDirectory,
  deliver,
  events,
  credential: tokenOf,
  denial: denialOf(INDENT),
  documents,
  batches,
  uploads,
  handle,
  faults,
  toolProfiles: { vendor },
  operations: () => operationsOf(about.service, ROUTER),
});
