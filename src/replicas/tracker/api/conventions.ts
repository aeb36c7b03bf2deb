/** Fields with the same meaning on every type. */
import type { RowObject } from "~/graphql/page";
import type { Resolver } from "~/graphql/resolvers";
import type { Context } from "~/replicas/tracker/context";

export const PRIORITIES = ["No priority", "Urgent", "High", "Medium", "Low"] as const;

const nothingYet = () => ({});

export const CONVENTIONS: { readonly [field: string]: Resolver<Context> } = {
  organization: (_row, _args, { read, workspace }, info) => {
    return info.isOnlyId ? { id: workspace.id } : read.one("Organization", workspace.id, info);
  },
  currentProgress: nothingYet,
  progressHistory: nothingYet,
  metadata: nothingYet,
  priorityLabel: ({ priority }: RowObject) => PRIORITIES[priority as number] ?? PRIORITIES[0],
};
