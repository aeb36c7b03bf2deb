/** The actions that a person of an environment can have. */
import { ApiError } from "~/errors";
import { joined } from "~/evaluation/mistakes";
import { known, nearest, quoted } from "~/input/nearest";
import type { Action } from "~/platform/counterparts/model";
import { filledFrom, pathsIn } from "~/platform/counterparts/values";
import { requireReplica, toolNames } from "~/replicas/index";

const KINDS = ["say", "call", "act"] as const;
/** By hand, people act in other ways through their events. */
const BY_HAND = ["say", "call"] as const;
const CALLS = ["method", "operation", "tool"] as const;

const wrong = (path: string, problem: string) =>
  new ApiError("invalid_request", `${path}: ${problem}`);

export const actionOf = ({ say, call, act }: Action) => say ?? call ?? act;

/** Rejects values of the row that it does not have. */
export function requireColumns(value: unknown, columns: readonly string[], path: string): void {
  for (const from of pathsIn(value)) {
    if (columns.length === 0) throw wrong(path, "$trigger: no row sets it off");
    const [column = ""] = from.split(".", 1);
    if (!columns.includes(column))
      throw wrong(
        path,
        `$trigger: the row has no column ${quoted(column)}${nearest(column, columns)}`,
      );
  }
}

type Acting = Action & { readonly service: string };

/** `columns`: of the row that sets it off. `path`: of its rule, empty by hand. Throws `invalid_request`. */
export function requireAction(rule: Acting, columns: readonly string[], path: string): void {
  const { say, call, act, service } = rule;
  const kinds = path === "" ? BY_HAND : KINDS;
  const [kind, another] = kinds.filter((each) => rule[each] !== undefined);
  if (!kind || another) throw wrong(path || "say", `one of ${kinds.join(", ")} is needed`);
  requireColumns(actionOf(rule), columns, joined(path, kind));
  if (call) requireCall(call, service, joined(path, "call"));
  if (act) requireAct(act, service, joined(path, "act"));
  if (!say) return;
  const { acting } = requireReplica(service);
  if (!acting?.say) throw wrong(joined(path, "say"), `in ${service} nobody talks; use call`);
  if (say.channel === undefined && !columns.includes(acting.say.channel))
    throw wrong(`${path}.say.channel`, "needed: the row that sets off the rule has none");
}

/** The rest is checked when the person acts: only then is it known what there is. */
function requireAct(act: NonNullable<Action["act"]>, service: string, path: string): void {
  const { acts } = requireReplica(service);
  if (!acts) throw wrong(path, `in ${service} nobody acts in another way than by calls`);
  if (act["user"] !== undefined) throw wrong(`${path}.user`, "the person is that of the rule, as");
  const { type } = act;
  if (typeof type !== "string" || !acts.names.includes(type))
    throw wrong(`${path}.type`, `there is no such act${known(`${type}`, acts.names)}`);
}

function requireCall(call: NonNullable<Action["call"]>, service: string, path: string): void {
  const replica = requireReplica(service);
  const [kind, another] = CALLS.filter((each) => call[each] !== undefined);
  if (!kind || another) throw wrong(path, "one of method, operation, tool is needed");
  const name = call[kind] ?? "";
  const { selector } = replica.faults;
  if (kind !== "tool" && (kind !== selector || !replica.acting))
    throw wrong(
      `${path}.${kind}`,
      `${service} has ${replica.acting ? `${selector}s` : "tools"} instead`,
    );
  const names = new Set(kind === "tool" ? toolNames(replica) : replica.acting?.names());
  if (!names.has(name))
    throw wrong(
      `${path}.${kind}`,
      `${service} has no ${kind} ${quoted(name)}${nearest(name, names)}`,
    );
  if (filledFrom({}, call.arguments ?? {}) === null)
    throw wrong(
      `${path}.arguments`,
      "an object is needed; $trigger and $kept can stand for the values in it",
    );
  const parameters = kind === "tool" ? undefined : replica.acting?.parameters?.(name);
  const unknown = Object.keys(call.arguments ?? {}).find(
    (each) => parameters?.includes(each) === false,
  );
  if (unknown !== undefined)
    throw wrong(
      `${path}.arguments`,
      `${name} has no argument ${quoted(unknown)}${nearest(unknown, parameters ?? [])}`,
    );
}
