import { Type } from "@sinclair/typebox";
import { filled, forwardingOf } from "~/replicas/mail/api/settings";
import { post, requireMailbox } from "~/replicas/mail/calls";
import { invalid, MailError, notFound } from "~/replicas/mail/errors";
import { filterIdOf } from "~/replicas/mail/ids";
import { isFixedLabel, isKnownLabel, isSystemLabel } from "~/replicas/mail/labels";
import { answersOf, type MailCall, NO_CONTENT, operation } from "~/replicas/mail/operation";
import { Filter, FilterList } from "~/replicas/mail/settings-shapes";
import {
  type Action,
  type Criteria,
  deleteFilter,
  findFilter,
  insertFilter,
  listFilters,
} from "~/replicas/mail/store/filters";
import { listLabels } from "~/replicas/mail/store/labels";
import { lockMailbox } from "~/replicas/mail/store/mailboxes";

const FILTERS_MAX = 1_000;
const LENGTH_MAX = 1_500;

const id = Type.String({ description: "Of the filter", examples: ["ANe1BmQ"] });

/** Criteria that are not enough by themselves. */
const REFINING = ["excludeChats", "sizeComparison"];

async function requireAction(
  call: MailCall,
  { addLabelIds = [], removeLabelIds = [], forward }: Action,
): Promise<void> {
  const labels = [...addLabelIds, ...removeLabelIds];
  if (labels.length === 0 && forward === undefined)
    throw invalid("Filter doesn't have any actions");
  const own = await listLabels(call.session, call.mailbox);
  const wrong = labels.find((label) => isFixedLabel(label) || !isKnownLabel(label, own));
  if (wrong !== undefined) throw invalid(`Invalid label: ${wrong}`);
  if (addLabelIds.filter((label) => !isSystemLabel(label)).length > 1)
    throw invalid("Filter can add only one user label");
  if (forward === undefined) return;
  const known = forwardingOf(await requireMailbox(call));
  if (!known.some(({ forwardingEmail }) => forwardingEmail === forward))
    throw invalid("Unrecognized forwarding address");
}

const canonical = (value: object) =>
  JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

async function createFilter(call: MailCall, criteria: Criteria, action: Action) {
  const { session, mailbox } = call;
  if (Object.keys(criteria).every((name) => REFINING.includes(name)))
    throw invalid("Filter doesn't have any criteria");
  if (JSON.stringify(criteria).length > LENGTH_MAX)
    throw invalid("The specified filter is too long");
  await requireAction(call, action);
  return await post({ session }, async ({ session: inside, next }) => {
    await lockMailbox(inside, mailbox);
    const all = await listFilters(inside, mailbox);
    if (all.length >= FILTERS_MAX) throw invalid("Too many filters");
    const isKnown = all.some(
      (each) =>
        canonical(each.criteria) === canonical(criteria) &&
        canonical(each.action) === canonical(action),
    );
    if (isKnown) throw new MailError("failedPrecondition", "Filter already exists");
    const [number = 0] = await next(1);
    const filter = { id: filterIdOf(number), criteria, action };
    await insertFilter(inside, mailbox, filter);
    return filter;
  });
}

export const filters = [
  operation("settings.filters.list", "GET", "settings/filters", {
    summary: "List filters",
    description: "All filters of the mailbox.",
    answers: answersOf(FilterList),
    async handle(_, { session, mailbox }) {
      const all = await listFilters(session, mailbox);
      return all.length > 0 ? { filter: all } : {};
    },
  }),
  operation("settings.filters.get", "GET", "settings/filters/{id}", {
    summary: "Show a filter",
    description: "One filter, by its id.",
    path: { id },
    answers: answersOf(Filter),
    async handle({ path }, { session, mailbox }) {
      const found = await findFilter(session, mailbox, path.id);
      if (!found) throw notFound();
      return found;
    },
  }),
  operation("settings.filters.create", "POST", "settings/filters", {
    summary: "Create a filter",
    description: "It acts on messages that arrive later.",
    body: Type.Object(Filter.properties),
    answers: answersOf(Filter),
    handle: ({ body: { criteria = {}, action = {} } }, call) =>
      createFilter(call, filled(criteria), filled(action)),
  }),
  operation("settings.filters.delete", "DELETE", "settings/filters/{id}", {
    summary: "Delete a filter",
    description: "Labels that it has added to messages stay.",
    path: { id },
    answers: NO_CONTENT,
    async handle({ path }, { session, mailbox }) {
      if (!(await deleteFilter(session, mailbox, path.id))) throw notFound();
    },
  }),
];
