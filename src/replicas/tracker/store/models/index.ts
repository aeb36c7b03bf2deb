/** Every entity that has rows. */
import type { Model, Models } from "~/graphql/model";
import { AGENTS } from "~/replicas/tracker/store/models/agents";
import { AUTOMATION } from "~/replicas/tracker/store/models/automation";
import { CUSTOMERS } from "~/replicas/tracker/store/models/customers";
import { INITIATIVES } from "~/replicas/tracker/store/models/initiatives";
import { ISSUES } from "~/replicas/tracker/store/models/issues";
import { PEOPLE } from "~/replicas/tracker/store/models/people";
import { PERSONAL } from "~/replicas/tracker/store/models/personal";
import { PLANNING } from "~/replicas/tracker/store/models/planning";
import { RELEASES } from "~/replicas/tracker/store/models/releases";

const ALL: readonly Model[] = [
  ...PEOPLE,
  ...ISSUES,
  ...PLANNING,
  ...INITIATIVES,
  ...PERSONAL,
  ...CUSTOMERS,
  ...RELEASES,
  ...AGENTS,
  ...AUTOMATION,
];

export const MODELS: Models = new Map(ALL.map((model) => [model.name, model]));

/** Types that are rows of another type's model. */
export const MODEL_OF: { readonly [type: string]: string } = {
  CustomViewNotificationSubscription: "NotificationSubscription",
  CustomerNotificationSubscription: "NotificationSubscription",
  CycleNotificationSubscription: "NotificationSubscription",
  DocumentNotification: "Notification",
  DocumentSearchResult: "Document",
  InitiativeNotification: "Notification",
  InitiativeNotificationSubscription: "NotificationSubscription",
  IssueNotification: "Notification",
  IssueSearchResult: "Issue",
  LabelNotificationSubscription: "NotificationSubscription",
  ProjectNotification: "Notification",
  ProjectNotificationSubscription: "NotificationSubscription",
  ProjectSearchResult: "Project",
  TeamNotificationSubscription: "NotificationSubscription",
  UserNotificationSubscription: "NotificationSubscription",
};
