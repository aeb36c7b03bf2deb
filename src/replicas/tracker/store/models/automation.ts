/** Git automation, time schedules and triage responsibilities. */
import type { Model } from "~/graphql/model";
import { children, record } from "~/replicas/tracker/store/models/define";
import { inVisibleTeam } from "~/replicas/tracker/store/models/visibility";

export const AUTOMATION: readonly Model[] = [
  record("GitAutomationState", { stateId: "uuid", targetBranchId: "uuid", teamId: "uuid" }),
  record(
    "GitAutomationTargetBranch",
    { isRegex: "boolean", teamId: "uuid" },
    { many: { automationStates: children("GitAutomationState", "targetBranchId") } },
  ),
  record("TimeSchedule", { config: "jsonb", entries: "jsonb" }),
  record(
    "TriageResponsibility",
    { currentUserId: "uuid", manualSelection: "jsonb", teamId: "uuid", timeScheduleId: "uuid" },
    { visible: inVisibleTeam() },
  ),
];
