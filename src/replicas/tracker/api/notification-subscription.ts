/** Subscriptions to notifications. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers, TypeNames } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  removeRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { requireRow } from "~/replicas/tracker/require";
import type { NewValues, Values } from "~/replicas/tracker/store/entities";
import { having } from "~/replicas/tracker/store/lookups";
import { columnsIn } from "~/replicas/tracker/store/write";
import { requireTarget, type TargetTypes } from "~/replicas/tracker/targets";

const TARGETS = {
  customViewId: "CustomView",
  customerId: "Customer",
  cycleId: "Cycle",
  initiativeId: "Initiative",
  labelId: "IssueLabel",
  projectId: "Project",
  teamId: "Team",
  userId: "User",
} as const satisfies TargetTypes;

/** The type name of a subscription begins with its target; for a label it is not `IssueLabel…`. */
const subscriptionType = (row: RowObject) => {
  const field = Object.keys(TARGETS).find((name) => row[name]) ?? "teamId";
  return `${field.charAt(0).toUpperCase()}${field.slice(1, -2)}NotificationSubscription`;
};

export const notificationSubscriptions: Resolvers<Context> = {
  Mutation: {
    notificationSubscriptionCreate: async (
      _source,
      { input }: Given<NewValues<"NotificationSubscription">>,
      context,
    ) => {
      const { field, row } = await requireTarget(context, TARGETS, input);
      const mine = { subscriberId: context.viewer.id, [field]: row.id };
      const known = await context.read.find("NotificationSubscription", having(mine));
      const notificationSubscription = known
        ? await changeRow(context, "NotificationSubscription", known, {
            active: input["active"] ?? true,
            notificationSubscriptionTypes: input["notificationSubscriptionTypes"] ?? undefined,
            includeSubInitiativeUpdates: input["includeSubInitiativeUpdates"] ?? undefined,
          })
        : await createRow(context, "NotificationSubscription", {
            ...columnsIn("NotificationSubscription", input),
            ...mine,
          });
      return { notificationSubscription };
    },

    notificationSubscriptionUpdate: async (
      _source,
      { id, input }: Target & Given<Values>,
      context,
    ) => {
      const before = await requireRow(context, "NotificationSubscription", id);
      const changes = Object.fromEntries(
        Object.entries(input).filter(([, value]) => value !== null),
      );
      return {
        notificationSubscription: await changeRow(
          context,
          "NotificationSubscription",
          before,
          changes,
        ),
      };
    },

    notificationSubscriptionDelete: (_source, { id }: Target, context) =>
      removeRow(context, "NotificationSubscription", id),
  },
};

export const subscriptionNames: TypeNames<Context> = { NotificationSubscription: subscriptionType };
