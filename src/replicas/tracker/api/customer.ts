/** Customers and their needs. */

import type { RowObject } from "~/graphql/page";
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { create, modelOf, mutationsOf, type Rules, update } from "~/replicas/tracker/api/entity";
import { changeRow, type Given, type Target } from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput, notFound, userError } from "~/replicas/tracker/errors";
import { requireGiven, requireRow } from "~/replicas/tracker/require";
import { deleteFollowers, deleteRecordsOf } from "~/replicas/tracker/store/dependents";
import type { Entity } from "~/replicas/tracker/store/entities";
import { having, withHash } from "~/replicas/tracker/store/lookups";
import { currentSyncId, deleteRows } from "~/replicas/tracker/store/write";
import { pageSlug, workspaceUrl } from "~/replicas/tracker/urls";

const all = { includeArchived: true };
const listOf = ({ read }: Context, type: Entity, values: Readonly<Record<string, string>>) =>
  read.rows(type, { args: all, where: having(values) });

/** The status of a customer that is created without one. */
async function firstStatus({ read }: Context): Promise<string | undefined> {
  const statuses = await read.rows("CustomerStatus", { args: {} });
  return statuses.toSorted((a, b) => Number(a["position"]) - Number(b["position"]))[0]?.id;
}

const customerRules: Rules = {
  operations: ["create", "update", "delete"],
  check: async ({ domains, externalIds }, { read }, row) => {
    const others = (await read.rows("Customer", { args: all })).filter(({ id }) => id !== row?.id);
    for (const [name, values] of Object.entries({ domains, externalIds }))
      for (const value of (values ?? []) as string[])
        if (others.some((other) => (other[name] as string[] | undefined)?.includes(value)))
          throw invalidInput(`Another customer has "${value}" among its ${name}`);
    return undefined;
  },
  create: async (input, context) => ({
    domains: input.domains ?? [],
    externalIds: input.externalIds ?? [],
    statusId: input.statusId ?? (await firstStatus(context)),
  }),
  removed: async ({ id }, { session }) => {
    await deleteRecordsOf(session, "CustomerNeed", "customerId", id);
    await deleteFollowers(session, "customerId", id);
  },
};

/** Statuses and tiers: `key` is the customer's reference to them. */
const gradeRules = (type: Entity, key: "statusId" | "tierId"): Rules => ({
  operations: ["create", "update", "delete"],
  check: ({ name, displayName }, _context, row) => {
    const shown = displayName ?? name ?? row?.["displayName"];
    if (shown === undefined) throw invalidInput("A name or a display name must be given");
    return { displayName: shown, name: name ?? row?.["name"] ?? shown };
  },
  create: async ({ position }, { read }) => {
    const rows = await read.rows(type, { args: {} });
    return { position: position ?? Math.max(0, ...rows.map((row) => Number(row["position"]))) + 1 };
  },
  removed: async ({ id }, context) => {
    const customers = await listOf(context, "Customer", { [key]: id });
    if (key === "statusId" && customers.length > 0)
      throw userError("A status that customers have cannot be deleted");
    for (const customer of customers)
      await changeRow(context, "Customer", customer, { tierId: null });
  },
});

type NeedInput = {
  readonly customerId?: string | null;
  readonly customerExternalId?: string | null;
  readonly issueId?: string | null;
  readonly projectId?: string | null;
  readonly attachmentId?: string | null;
  readonly attachmentUrl?: string | null;
  readonly commentId?: string | null;
  readonly priority?: number | null;
};

/** The customer with this id in another system. */
async function externalCustomer(context: Context, externalId: string | null | undefined) {
  if (externalId == null) return {};
  const customers = await context.read.rows("Customer", { args: all });
  const customer = customers.find((row) => (row["externalIds"] as string[]).includes(externalId));
  if (!customer) throw notFound("Customer");
  return { customerId: customer.id };
}

const needRules: Rules = {
  operations: ["create", "archive", "unarchive", "delete"],
  check: async (input: NeedInput, context) => ({
    ...(await externalCustomer(context, input.customerExternalId)),
    ...(input.attachmentUrl !== undefined && { url: input.attachmentUrl }),
  }),
  create: async (input: NeedInput, context) => {
    const comment = await requireGiven(context, "Comment", "commentId", input.commentId);
    const attachment = await requireGiven(
      context,
      "Attachment",
      "attachmentId",
      input.attachmentId,
    );
    const issueId = input.issueId ?? comment?.["issueId"] ?? attachment?.["issueId"];
    if (issueId == null && input.projectId == null)
      throw invalidInput("A need belongs to an issue or a project");
    return {
      issueId,
      originalIssueId: issueId,
      priority: input.priority ?? 0,
      url: input.attachmentUrl ?? attachment?.["url"],
    };
  },
};

type NeedUpdate = Target &
  Given<NeedInput & { readonly applyPriorityToRelatedNeeds?: boolean | null }> & {
    readonly clearAttachment?: boolean | null;
  };

const updateNeed: Resolver<Context> = async (_source, args: NeedUpdate, context, info) => {
  const { applyPriorityToRelatedNeeds, ...input } = args.input;
  const need = await requireRow(context, "CustomerNeed", args.id);
  const changes = {
    ...input,
    id: undefined,
    ...(args.clearAttachment && { attachmentId: null, url: null }),
  };
  const changed = await update(modelOf("CustomerNeed"), needRules, need, changes, context, info);
  const updatedRelatedNeeds: RowObject[] = [];
  const { customerId } = changed as { customerId?: string };
  if (applyPriorityToRelatedNeeds === true && input.priority != null && customerId !== undefined)
    for (const other of await listOf(context, "CustomerNeed", { customerId }))
      if (other.id !== need.id && other["issueId"] === changed["issueId"])
        updatedRelatedNeeds.push(
          await changeRow(context, "CustomerNeed", other, { priority: input.priority }),
        );
  return { need: changed, updatedRelatedNeeds };
};

type Upsert = {
  readonly id?: string | null;
  readonly externalId?: string | null;
  readonly domains?: readonly string[] | null;
  readonly name?: string | null;
  readonly tierName?: string | null;
};

/** Updates the customer with this id, external id or domain; creates one when there is none. */
const upsertCustomer: Resolver<Context> = async (
  _source,
  { input }: Given<Upsert>,
  context,
  info,
) => {
  const { externalId, tierName, ...rest } = input;
  const model = modelOf("Customer");
  const customers = await context.read.rows("Customer", { args: all });
  const has = (row: RowObject, name: string, value: string) =>
    (row[name] as string[]).includes(value);
  const known = customers.find(
    (row) =>
      row.id === input.id ||
      (externalId != null && has(row, "externalIds", externalId)) ||
      (input.domains ?? []).some((domain) => has(row, "domains", domain)),
  );
  const tiers = await context.read.rows("CustomerTier", { args: {} });
  const tier = tierName == null ? undefined : tiers.find((row) => row["name"] === tierName);
  if (tierName != null && !tier) throw notFound("CustomerTier");
  const externalIds = [
    ...new Set([
      ...((known?.["externalIds"] as string[]) ?? []),
      ...(externalId == null ? [] : [externalId]),
    ]),
  ];
  const values = { ...rest, externalIds, ...(tier && { tierId: tier.id }) };
  if (!known && input.name == null) throw invalidInput("A new customer needs a name");
  const customer = known
    ? await update(model, customerRules, known, { ...values, id: undefined }, context, info)
    : await create(model, customerRules, values, context, info);
  return { customer };
};

type Merge = { readonly sourceCustomerId: string; readonly targetCustomerId: string };

/** Merges a customer into another: its needs, domains and ids move, and it is deleted. */
const mergeCustomers: Resolver<Context> = async (_source, args: Merge, context) => {
  const source = await requireRow(context, "Customer", args.sourceCustomerId);
  const target = await requireRow(context, "Customer", args.targetCustomerId);
  if (source.id === target.id) throw invalidInput("A customer cannot be merged with itself");
  for (const need of await listOf(context, "CustomerNeed", { customerId: source.id }))
    await changeRow(context, "CustomerNeed", need, { customerId: target.id });
  await deleteFollowers(context.session, "customerId", source.id);
  await deleteRows(context.session, "Customer", [source.id]);
  const both = (name: string) => [
    ...new Set([...(target[name] as string[]), ...(source[name] as string[])]),
  ];
  const customer = await changeRow(context, "Customer", target, {
    domains: both("domains"),
    externalIds: both("externalIds"),
  });
  return { customer };
};

const TITLE_LENGTH_MAX = 80;

export const customers: Resolvers<Context> = {
  Customer: {
    url: ({ name, slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "customer", pageSlug(name, slugId)),
  },
  CustomerNeed: { content: ({ body }: RowObject) => body },
  Query: {
    customerNeed: async (_source, args: { id?: string; hash?: string }, context, info) => {
      if (args.id != null) return await requireRow(context, "CustomerNeed", args.id, info.fields);
      const need =
        args.hash && (await context.read.find("CustomerNeed", withHash(args.hash), info));
      if (!need) throw notFound("CustomerNeed");
      return need;
    },
    issueTitleSuggestionFromCustomerRequest: async (
      _source,
      { request }: { request: string },
      context,
    ) => {
      const [sentence = ""] = request.trim().split(/(?<=[.!?])\s|\n/);
      const title = sentence
        .replace(/[.!?]+$/, "")
        .slice(0, TITLE_LENGTH_MAX)
        .toWellFormed();
      return { title, lastSyncId: await currentSyncId(context.session) };
    },
  },
  Mutation: {
    ...mutationsOf("Customer", customerRules),
    ...mutationsOf("CustomerStatus", gradeRules("CustomerStatus", "statusId")),
    ...mutationsOf("CustomerTier", gradeRules("CustomerTier", "tierId")),
    ...mutationsOf("CustomerNeed", needRules),
    customerMerge: mergeCustomers,
    customerUpsert: upsertCustomer,
    customerUnsync: async (_source, { id }: Target, context) => {
      const customer = await requireRow(context, "Customer", id);
      return { customer: await changeRow(context, "Customer", customer, { mainSourceId: null }) };
    },
    customerNeedUpdate: updateNeed,
    customerNeedCreateFromAttachment: async (
      _source,
      { input }: Given<{ attachmentId: string }>,
      context,
      info,
    ) => ({
      need: await create(modelOf("CustomerNeed"), needRules, input, context, info),
    }),
  },
};
