/** Every entity that has rows. */
import type { Model, Models } from "~/graphql/model";
import { INITIATIVES } from "~/replicas/tracker/store/models/initiatives";
import { ISSUES } from "~/replicas/tracker/store/models/issues";
import { NEIGHBOURS } from "~/replicas/tracker/store/models/neighbours";
import { PEOPLE } from "~/replicas/tracker/store/models/people";
import { PERSONAL } from "~/replicas/tracker/store/models/personal";
import { PLANNING } from "~/replicas/tracker/store/models/planning";

const ALL: readonly Model[] = [
  ...PEOPLE,
  ...ISSUES,
  ...PLANNING,
  ...INITIATIVES,
  ...PERSONAL,
  ...NEIGHBOURS,
];

export const MODELS: Models = new Map(ALL.map((model) => [model.name, model]));

/** Types that are rows of a model of another name. */
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
