/** Customers and their requests. */
import type { Expression, Model } from "~/graphql/model";
import { children, record } from "~/replicas/tracker/store/models/define";
import { by, countOf, recordsOf } from "~/replicas/tracker/store/models/expressions";

/** A text array in `data`. */
const texts = (key: string): Expression => {
  return (row, { sql }) =>
    sql`array(select jsonb_array_elements_text(coalesce(${row(key)}, '[]')))`;
};

const value =
  (what: string, key: string, column: string): Expression =>
  (row, { sql, table }) =>
    sql`(select r.data->>${column}::text from ${table("records")} r where r.type = ${what} and r.id = ${row(key)})`;

export const CUSTOMERS: readonly Model[] = [
  record(
    "Customer",
    {
      domains: "jsonb",
      externalIds: "jsonb",
      ownerId: "uuid",
      revenue: "float8",
      size: "float8",
      statusId: "uuid",
      tierId: "uuid",
    },
    {
      one: { status: "CustomerStatus", tier: "CustomerTier" },
      many: { needs: children("CustomerNeed", "customerId") },
      computed: { approximateNeedCount: countOf(recordsOf("CustomerNeed", "customerId")) },
      filters: { domains: texts("domains"), externalIds: texts("externalIds") },
      sorts: {
        approximateNeedCount: by(countOf(recordsOf("CustomerNeed", "customerId"))),
        owner: by(
          (row, { sql, table }) =>
            sql`(select u.name from ${table("users")} u where u.id = ${row("ownerId")})`,
        ),
        status: by(value("CustomerStatus", "statusId", "name")),
        tier: by(value("CustomerTier", "tierId", "name")),
      },
    },
  ),
  record("CustomerNeed", {
    attachmentId: "uuid",
    body: "text",
    bodyData: "text",
    commentId: "uuid",
    creatorId: "uuid",
    customerId: "uuid",
    issueId: "uuid",
    originalIssueId: "uuid",
    priority: "float8",
    projectId: "uuid",
  }),
  record("CustomerStatus", { position: "float8" }),
  record("CustomerTier", { position: "float8" }),
];
