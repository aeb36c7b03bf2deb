/** Plans of new environments: everything that is inserted, but for the schemas. Nothing is written yet. */
import type { Session } from "~/db/session";
import { ApiError } from "~/errors";
import { known, quoted } from "~/input/nearest";
import type { Counterpart } from "~/platform/counterparts/model";
import { requireCounterparts } from "~/platform/counterparts/rules";
import { beginning, type CounterpartPlan } from "~/platform/environments/actions";
import { firstReading, firstTiming, viewClock } from "~/platform/environments/clock";
import type { Common, Identity, Lineage } from "~/platform/environments/creation-store";
import { type NewEnvironment, TTL_SECONDS_DEFAULT } from "~/platform/environments/model";
import { requireStyle } from "~/platform/environments/token-model";
import { requireFaults } from "~/platform/faults/rules";
import { type FaultState, newState } from "~/platform/faults/store";
import { hashCredential, newCredential } from "~/platform/keys/format";
import { requireApps } from "~/platform/outbox/requirements";
import type { StoredApp } from "~/platform/outbox/store";
import { promptAt } from "~/platform/suites/prompt";
import type { Suites } from "~/platform/suites/suites";
import type { TemplateRow } from "~/platform/templates/store";
import type { Templates } from "~/platform/templates/templates";
import type { Principal } from "~/principal";
import { serviceOf } from "~/replicas/index";
import { WORLD } from "~/replicas/members";
import { requireKind } from "~/replicas/world";
import type { NewId } from "~/source";

/** Environments that differ only in their ids and tokens. */
export type Plan = {
  readonly common: Common;
  readonly templateSchema: string;
  readonly identities: readonly (Identity & { readonly token: string })[];
  readonly lineage?: Lineage;
  readonly faults: FaultState | null;
  readonly counterparts: CounterpartPlan | null;
  /** That receive events. */
  readonly apps: readonly StoredApp[];
};

/** The ids of new environments, and their tokens with the hashes that are stored. */
export const identities = (newId: NewId, count: number, tokenStyle: NewEnvironment["tokenStyle"]) =>
  Array.from({ length: count }, () => {
    const token = newCredential("e");
    return {
      environmentId: newId(),
      tokenHash: hashCredential(token),
      token: tokenStyle === undefined ? token : `${tokenStyle}-${token}`,
    };
  });

type Reading<T> = (sessionOf: (service: string) => Session) => Promise<T>;

/** The environments of a plan with the schemas that are reserved for them. */
export const placed = ({ identities }: Plan, schemas: readonly string[]) =>
  identities.map((each, at) => ({ ...each, schemaName: schemas[at] ?? "" }));

/** Who creates environments. `baseUrl`: the scheme and host at which they reached this server, if it is known. */
export type Caller = Principal & { readonly baseUrl?: string };

export function createPlanning(deps: { templates: Templates; suites: Suites; newId: NewId }) {
  const { templates, suites, newId } = deps;

  async function rulesOf(
    { services, template }: { services: readonly string[]; template: TemplateRow },
    wanted: readonly Counterpart[],
  ) {
    const vocabulary = await templates.vocabulary(template);
    const sessionOf = await templates.openTemplate(template);
    return await requireCounterparts({ services, vocabulary, sessionOf }, wanted);
  }

  /**
   * Plans the environments of a request, by its test or by name; `task`: what the test asks for. Throws if the request is
   * incomplete or refers to something that does not exist.
   */
  return async function plan({ userId, keyId, baseUrl }: Caller, wanted: NewEnvironment) {
    const test =
      wanted.testId === undefined ? undefined : await suites.requireTest(userId, wanted.testId);
    const templateService = test?.service ?? wanted.templateService;
    const templateName = test?.templateName ?? wanted.templateName;
    if (templateService === undefined)
      throw new ApiError("invalid_request", "templateService: needed when testId is not given");
    const service = requireKind(templateService);
    if (templateName === undefined)
      throw new ApiError("invalid_request", "templateName: needed when testId is not given");
    const template = await templates.require(userId, service, templateName);
    const by = who(wanted, test?.actingUserId);
    const services = requireServices(template.services, wanted.services);
    requireStyle(services, wanted.tokenStyle);
    const people = await templates.requireUser(template, by);
    const members = Object.fromEntries(services.map((each) => [each, people[each] ?? null]));
    const actingUserId = Object.values(members).find((id) => id !== null);
    if (actingUserId === undefined)
      throw new ApiError(
        "impersonate_not_found",
        `This user of the template ${templateName} has no account in ${services.join(" or ")}`,
      );
    const common: Common = {
      userId,
      keyId,
      service,
      templateName,
      actingUserId,
      members: service === WORLD ? members : null,
      ttlSeconds: wanted.ttlSeconds ?? TTL_SECONDS_DEFAULT,
      allowImpersonation: wanted.allowImpersonation ?? false,
      timing: firstTiming(firstReading(wanted.clock, template.opensAt), wanted.seed),
    };
    const { faults = test?.faults ?? [], events = test?.events } = wanted;
    const read = async <T>(work: Reading<T>) => await work(await templates.openTemplate(template));
    requireFaults(services, faults);
    const apps = events ? await requireApps({ actors: members, read }, events, "events.apps") : [];
    const { counterparts = test?.counterparts ?? [] } = wanted;
    const place = { services, template };
    const rules = counterparts.length > 0 ? await rulesOf(place, counterparts) : [];
    return {
      common,
      templateSchema: template.schemaName,
      identities: identities(newId, wanted.count ?? 1, wanted.tokenStyle),
      faults: faults.length > 0 ? newState(faults) : null,
      counterparts: rules.length > 0 ? beginning(rules, common.timing) : null,
      apps: apps.map((app) => ({ ...app, baseUrl })),
      task: test && { prompt: promptAt(test.prompt, viewClock(common.timing).now) },
    };
  };
}

/** Returns the wanted services of a template, in its order. Throws `invalid_service` or `invalid_request`. */
function requireServices(
  has: readonly string[],
  wanted: readonly string[] = has,
): readonly string[] {
  const names = wanted.map(serviceOf);
  const unknown = names.find((name) => !has.includes(name));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_service",
      `services: the template has no ${quoted(unknown)}${known(unknown, has)}`,
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new ApiError("invalid_request", `services: ${twice} is named twice`);
  return has.filter((service) => names.includes(service));
}

/** Returns the user to act as, from the request or its test. */
function who(
  { impersonateUserId: id, impersonateEmail: email }: NewEnvironment,
  ofTest: string | null | undefined,
) {
  if (id !== undefined) return { id };
  if (email !== undefined) return { email };
  if (ofTest) return { id: ofTest };
  throw new ApiError("missing_impersonate", "impersonateUserId or impersonateEmail is needed");
}
