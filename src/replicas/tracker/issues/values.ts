/** Plain values of an issue, and their limits. */
import type { Optional } from "~/replicas/tracker/change";
import { invalidArgument } from "~/replicas/tracker/errors";
import { markdownOf } from "~/replicas/tracker/rich-text";

const TITLE_MAX = 255;
const PRIORITY_MAX = 4;
const HOUR_MS = 60 * 60 * 1000;
/** How long before its deadline an issue is at risk. */
const MEDIUM_RISK_HOURS = 48;
const HIGH_RISK_HOURS = 24;

export type Plain = {
  readonly title?: Optional<string>;
  readonly description?: Optional<string>;
  readonly descriptionData?: unknown;
  readonly priority?: Optional<number>;
  readonly estimate?: Optional<number>;
  readonly slaBreachesAt?: Optional<Date>;
  readonly slaStartedAt?: Optional<Date>;
};

export function requireTitle(title: Optional<string>): string {
  const text = title?.trim() ?? "";
  if (text === "")
    throw invalidArgument("title", title ?? null, "isNotEmpty", "title should not be empty");
  if (text.length > TITLE_MAX)
    throw invalidArgument(
      "title",
      text,
      "maxLength",
      `title must be shorter than or equal to ${TITLE_MAX} characters`,
    );
  return text;
}

export function requirePriority(priority: number): number {
  if (priority < 0 || priority > PRIORITY_MAX)
    throw invalidArgument(
      "priority",
      priority,
      "max",
      `priority must be from 0 to ${PRIORITY_MAX}`,
    );
  return priority;
}

export function requireEstimate(estimate: Optional<number>): Optional<number> {
  if (typeof estimate === "number" && estimate < 0)
    throw invalidArgument("estimate", estimate, "min", "estimate must not be less than 0");
  return estimate;
}

/** The text of an input, from Markdown or a tree; undefined when it has none. */
export const descriptionOf = ({ description, descriptionData }: Plain): Optional<string> =>
  description !== undefined
    ? description
    : (descriptionData !== undefined && markdownOf(descriptionData)) || undefined;

/** The times that a deadline determines. */
export function deadline({ slaBreachesAt, slaStartedAt }: Plain, now: Date) {
  if (slaBreachesAt === undefined) return {};
  if (slaBreachesAt === null)
    return { slaBreachesAt, slaStartedAt: null, slaMediumRiskAt: null, slaHighRiskAt: null };
  const before = (hours: number) => new Date(slaBreachesAt.getTime() - hours * HOUR_MS);
  return {
    slaBreachesAt,
    slaStartedAt: slaStartedAt ?? now,
    slaMediumRiskAt: before(MEDIUM_RISK_HOURS),
    slaHighRiskAt: before(HIGH_RISK_HOURS),
  };
}
