/** Which faults an environment can have, and which calls they are for. */
import { ApiError } from "~/errors";
import { nearest } from "~/input/nearest";
import { Rejections } from "~/input/rejections";
import { type Fault, isOfEvents, MS_MAX } from "~/platform/faults/model";
import { selects } from "~/replicas/faults";
import { requireReplica, toolNames } from "~/replicas/index";
import type { Replica } from "~/replicas/replica";

const SELECTORS = ["method", "operation", "tool", "event"] as const;
type Selector = (typeof SELECTORS)[number];
/** Throws `invalid_request` or `invalid_service` for faults that an environment of these services cannot have. */
export function requireFaults(
  services: readonly string[],
  faults: readonly Fault[],
  path = "faults",
): void {
  const rejections = new Rejections();
  for (const [index, fault] of faults.entries())
    try {
      requireFault(services, fault, `${path}[${index}]`);
    } catch (error) {
      rejections.add(error);
    }
  rejections.end();
}

function requireFault(services: readonly string[], fault: Fault, path: string): void {
  const [only = "", ...others] = services;
  const { service = only } = fault;
  const fail = (field: string, problem: string) => {
    throw new ApiError("invalid_request", `${path}.${field}: ${problem}`);
  };
  if (!services.includes(service))
    throw new ApiError(
      "invalid_service",
      `${path}.service: this is an environment of the service${others.length > 0 ? "s" : ""} ${services.join(", ")}`,
    );
  if (others.length > 0 && fault.service === undefined)
    fail("service", `which service fails is needed: ${services.join(" or ")}`);
  const replica = requireReplica(service);
  const given = SELECTORS.filter((name) => fault[name] !== undefined);
  const [selector, another] = given;
  if (another) fail(another, `the fault has a ${selector} already`);
  if (selector) requireKnown(replica, selector, fault[selector] ?? "", fail);
  if (isOfEvents(fault) !== (selector === "event"))
    fail(selector ?? "event", `${fault.fault} is for ${isOfEvents(fault) ? "events" : "calls"}`);
  const { when = {}, retryAfter, ms } = fault;
  if (when.rate !== undefined && (when.after !== undefined || when.times !== undefined))
    fail("when", "either rate, or after and times");
  if (when.rate === undefined && when.seed !== undefined) fail("when.seed", "only rate has it");
  if (retryAfter !== undefined && fault.fault !== "rate_limited")
    fail("retryAfter", "only rate_limited has it");
  if (fault.perUser !== undefined && fault.fault !== "rate_limited")
    fail("perUser", "only rate_limited has it");
  if (fault.perUser && !replica.faults.hasUserLimit) fail("perUser", `${service} has one limit`);
  if (fault.calls !== undefined && fault.fault !== "stale_read")
    fail("calls", "only stale_read has it");
  const max = MS_MAX[fault.fault];
  if (ms !== undefined && max === undefined)
    fail("ms", "only latency, no_answer and event_delayed have it");
  if (ms !== undefined && max !== undefined && ms > max) fail("ms", `at most ${max}`);
  if (ms === undefined && (fault.fault === "latency" || fault.fault === "event_delayed"))
    fail("ms", `${fault.fault} needs it`);
}

function requireKnown(
  replica: Replica,
  selector: Selector,
  pattern: string,
  fail: (field: string, problem: string) => void,
): void {
  const { service, faults, events } = replica;
  if (selector === "event") {
    const types = Object.keys(events?.types ?? {});
    if (types.some((type) => selects(pattern, type))) return;
    fail(selector, `${service} has no such event${nearest(pattern, types)}`);
  }
  if (selector !== "tool" && selector !== faults.selector)
    fail(selector, `${service} has ${faults.selector}s instead`);
  const names = new Set(selector === "tool" ? toolNames(replica) : faults.names());
  for (const name of names) if (selects(pattern, name)) return;
  fail(selector, `${service} has no such ${selector}${nearest(pattern, names)}`);
}
