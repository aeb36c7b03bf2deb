import { Type } from "@sinclair/typebox";
import {
  etagOf,
  isAtLeast,
  type Place,
  ROLES,
  requireMatch,
  requireOwner,
  requirePlace,
  write,
} from "~/replicas/calendar/access";
import { CalendarError, forbidden, notFound, required } from "~/replicas/calendar/errors";
import { requireWord } from "~/replicas/calendar/events/values";
import { isAddress } from "~/replicas/calendar/ids";
import { pageOf, sizeOf } from "~/replicas/calendar/lists";
import {
  answersOf,
  type CalendarCall,
  calendarId,
  flag,
  NO_CONTENT,
  operation,
  optional,
  text,
  type WritingCall,
} from "~/replicas/calendar/operation";
import { Rule, RuleBody, RuleList } from "~/replicas/calendar/shapes/calendar";
import { type AclRow, findRule, listRules, rulesVersion } from "~/replicas/calendar/store/acl";
import { insert, update } from "~/replicas/calendar/store/write";
import { readSyncToken } from "~/replicas/calendar/tokens";

const ACL = "calendars/{calendarId}/acl";
const RULE = `${ACL}/{ruleId}` as const;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 250;

const ruleId = Type.String({ description: "Of the rule", examples: ["user:john@acme.test"] });
const sendNotifications = flag("Ignored: nobody is told");

const ruleView = ({ id, scopeType: type, scopeValue: value, role, version, deleted }: AclRow) => ({
  ...{ kind: "calendar#aclRule", etag: etagOf(version), id },
  scope: { type, ...(value !== null && { value }) },
  role: deleted ? "none" : role,
});

const TYPES = ["default", "user", "group", "domain"];
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

type Scope = { readonly type?: string | null; readonly value?: string | null };
type Body = { readonly role?: string | null; readonly scope?: Scope | null };

/** The scope as it is stored, with the id of its rule. */
function readScope({ type, value }: Scope) {
  const scopeType = requireWord(type ?? "", TYPES);
  if (scopeType === "default") return { id: "default", scopeType, scopeValue: null };
  const scopeValue = (value ?? "").toLowerCase();
  const isFit = scopeType === "domain" ? DOMAIN.test(scopeValue) : isAddress(scopeValue);
  if (!isFit) throw new CalendarError("invalidScopeValue", "Invalid scope value.");
  return { id: `${scopeType}:${scopeValue}`, scopeType, scopeValue };
}

/** The id of a rule, which may have that of its calendar in front. */
function idIn(calendar: string, given: string): string {
  const id = given.toLowerCase();
  return id.startsWith(`${calendar}:`) ? id.slice(calendar.length + 1) : id;
}

/** The scope that the id of a rule names. */
const scopeOfId = (id: string) => {
  const [type = "", value] = id.split(/:(.*)/s);
  return TYPES.includes(type) ? readScope({ type, value: value ?? null }) : undefined;
};

/** Nobody changes the own rule, or that of the user whose data it is. */
function requireChangeable({ me, calendar }: Place, id: string): void {
  if (id === `user:${me.email}`)
    throw new CalendarError("cannotChangeOwnAcl", "Cannot change your own access level.");
  if (id === `user:${calendar.dataOwner}`)
    throw new CalendarError(
      "cannotChangeOwnerAcl",
      "Cannot change the access level of the owner of the calendar.",
    );
}

/** Creates the rule of a scope, or gives it another role. `none` is no rule. */
async function putRule(
  call: WritingCall,
  place: Place,
  scope: ReturnType<typeof readScope>,
  wanted: string | null | undefined,
) {
  if (!wanted) throw required();
  const role = requireWord(wanted, ROLES);
  if (scope.scopeType === "default" && isAtLeast(role, "writerWithoutPrivateAccess"))
    throw new CalendarError(
      "illegalAccessRoleForDefault",
      "This access role is not allowed for the default scope.",
    );
  requireChangeable(place, scope.id);
  const { session, version } = call;
  const calendarId = place.calendar.id;
  const columns = { role, deleted: role === "none", version };
  const known = await findRule(session, calendarId, scope.id);
  if (known) await update(session, "acl", { calendarId, id: scope.id }, columns);
  else await insert(session, "acl", [{ calendarId, ...scope, ...columns }]);
  return ruleView({ calendarId, ...scope, ...columns, version: `${version}` });
}

async function requireRule({ session }: CalendarCall, calendar: string, id: string) {
  const rule = await findRule(session, calendar, idIn(calendar, id));
  if (!rule || rule.deleted) throw notFound();
  return rule;
}

async function ownedPlace(call: CalendarCall, id: string): Promise<Place> {
  const place = await requirePlace(call, id);
  requireOwner(place);
  return place;
}

/** Those who write events may see who else may. */
async function readablePlace(call: CalendarCall, id: string): Promise<Place> {
  const place = await requirePlace(call, id);
  if (!isAtLeast(place.role, "writer")) throw forbidden();
  return place;
}

const insertRule = (call: CalendarCall, id: string, { scope, role }: Body) =>
  write(call, async (inside) => {
    const place = await ownedPlace(inside, id);
    if (!scope) throw required();
    return await putRule(inside, place, readScope(scope), role);
  });

export const RULES = {
  maxResults: optional(Type.Integer({ minimum: 1, description: "Rules of a page, at most 250" })),
  pageToken: text("`nextPageToken` of the page before", "Q"),
  showDeleted: flag("Also deleted rules, with the role none"),
  syncToken: text("`nextSyncToken` of an earlier list: only changes since then", "Q="),
};

export const acl = [
  operation("acl.list", "GET", ACL, {
    summary: "List the rules of a calendar",
    description: "Who has which role.",
    path: { calendarId },
    query: RULES,
    answers: answersOf(RuleList),
    async handle({ path, query }, call) {
      const { calendar } = await readablePlace(call, path.calendarId);
      const list = `acl ${calendar.id}`;
      const since = readSyncToken(query.syncToken, list);
      const version = await rulesVersion(call.session, calendar.id);
      const rules = await listRules(call.session, calendar.id, {
        since: since ?? 0,
        withDeleted: since !== undefined || (query.showDeleted ?? false),
      });
      const size = sizeOf(query.maxResults, PAGE_DEFAULT, PAGE_MAX);
      const { pageToken } = query;
      return pageOf(rules, { list, kind: "calendar#acl", version, pageToken, size }, ruleView);
    },
  }),
  operation("acl.get", "GET", RULE, {
    summary: "Show a rule",
    description: "The role of one scope.",
    path: { calendarId, ruleId },
    answers: answersOf(Rule),
    async handle({ path }, call) {
      const { calendar } = await readablePlace(call, path.calendarId);
      return ruleView(await requireRule(call, calendar.id, path.ruleId));
    },
  }),
  operation("acl.insert", "POST", ACL, {
    summary: "Share a calendar",
    description: "Gives a role to a scope, in place of the one that it has.",
    path: { calendarId },
    query: { sendNotifications },
    body: RuleBody,
    answers: answersOf(Rule),
    handle: ({ path, body }, call) => insertRule(call, path.calendarId, body as Body),
  }),
  operation("acl.update", "PUT", RULE, {
    summary: "Replace a rule",
    description: "A rule that is not there is created.",
    path: { calendarId, ruleId },
    query: { sendNotifications },
    body: RuleBody,
    answers: answersOf(Rule),
    handle: ({ path, body }, call) =>
      write(call, async (inside) => {
        const place = await ownedPlace(inside, path.calendarId);
        const scope = scopeOfId(idIn(place.calendar.id, path.ruleId));
        if (!scope) throw notFound();
        const known = await findRule(inside.session, place.calendar.id, scope.id);
        requireMatch(inside, known?.version ?? 0);
        return await putRule(inside, place, scope, (body as Body).role);
      }),
  }),
  operation("acl.patch", "PATCH", RULE, {
    summary: "Change a rule",
    description: "Only its role can change.",
    path: { calendarId, ruleId },
    query: { sendNotifications },
    body: RuleBody,
    answers: answersOf(Rule),
    handle: ({ path, body }, call) =>
      write(call, async (inside) => {
        const place = await ownedPlace(inside, path.calendarId);
        const rule = await requireRule(inside, place.calendar.id, path.ruleId);
        requireMatch(inside, rule.version);
        return await putRule(inside, place, rule, (body as Body).role ?? rule.role);
      }),
  }),
  operation("acl.delete", "DELETE", RULE, {
    summary: "Revoke a rule",
    description: "It is listed with the role none if deleted rules are asked for.",
    path: { calendarId, ruleId },
    answers: NO_CONTENT,
    handle: ({ path }, call) =>
      write(call, async (inside) => {
        const { session, version } = inside;
        const place = await ownedPlace(inside, path.calendarId);
        const { id } = await requireRule(inside, place.calendar.id, path.ruleId);
        requireChangeable(place, id);
        const key = { calendarId: place.calendar.id, id };
        await update(session, "acl", key, { deleted: true, version });
      }),
  }),
];
