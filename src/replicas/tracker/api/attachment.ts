/** Attachments. The same address on the same issue is one attachment, even if another user adds it again. */

import { type Resolver, type Resolvers, rootPage } from "~/graphql/resolvers";
import {
  changeRow,
  createRow,
  type Given,
  type Optional,
  removeRow,
  type Target,
} from "~/replicas/tracker/change";
import { createComment } from "~/replicas/tracker/comments";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { requireRow } from "~/replicas/tracker/require";
import { countSources } from "~/replicas/tracker/store/attachments";
import type { Row, Values } from "~/replicas/tracker/store/entities";
import { writeEffects } from "~/replicas/tracker/store/issues/effects";
import { having } from "~/replicas/tracker/store/lookups";
import { columnsIn } from "~/replicas/tracker/store/write";

type Content = {
  readonly id?: Optional<string>;
  readonly issueId: string;
  readonly title: string;
  readonly url: string;
  readonly subtitle?: Optional<string>;
  readonly iconUrl?: Optional<string>;
  readonly groupBySource?: Optional<boolean>;
  readonly metadata?: Optional<Values>;
};
type Create = Content & {
  readonly commentBody?: Optional<string>;
  readonly commentBodyData?: unknown;
};
type Link = Values & {
  readonly id?: Optional<string>;
  readonly issueId: string;
  readonly title?: Optional<string>;
  readonly url?: Optional<string>;
};

function requireUrl(url: string): string {
  if (!URL.canParse(url)) throw invalidArgument("url", url, "isUrl", "url must be a URL");
  return url;
}

/** Adds an attachment to an issue, or updates the existing one. */
async function attach(
  context: Context,
  content: Content,
  sourceType?: string,
): Promise<Row<"Attachment">> {
  const issue = await requireRow(context, "Issue", content.issueId);
  const url = requireUrl(content.url);
  const known = await context.read.find("Attachment", having({ issueId: issue.id, url }));
  const source = sourceType === undefined ? undefined : { type: sourceType };
  if (known)
    return await changeRow(context, "Attachment", known, {
      title: content.title,
      subtitle: content.subtitle,
      iconUrl: content.iconUrl,
      metadata: content.metadata ?? undefined,
      groupBySource: content.groupBySource ?? undefined,
      source,
      sourceType,
    });
  const { viewer, session, now } = context;
  const attachment = await createRow(context, "Attachment", {
    ...columnsIn("Attachment", content),
    issueId: issue.id,
    url,
    source,
    sourceType,
    creatorId: viewer.id,
  });
  const history = [{ issueId: issue.id, attachmentId: attachment.id }];
  await writeEffects(session, { history }, { actor: viewer.id, now });
  return attachment;
}

/** The title for an address: its last part, or its host. */
function titleOf(url: string): string {
  const { hostname, pathname } = new URL(requireUrl(url));
  const last = pathname.split("/").findLast((part) => part !== "") ?? "";
  return last === "" ? hostname : `${hostname}: ${last}`;
}

/** A mutation of the family `attachmentLink…`. `urlOf` builds the address from other arguments. */
const link =
  (sourceType: string | undefined, urlOf?: (args: Link) => string): Resolver<Context> =>
  async (_source, args: Link, context) => {
    const url = args.url ?? urlOf?.(args) ?? "";
    const { id, issueId, title } = args;
    const named = ["id", "issueId", "title", "url", "createAsUser", "displayIconUrl"];
    const metadata = Object.fromEntries(
      Object.entries(args).filter(([name]) => !named.includes(name)),
    );
    const content = { id, issueId, url, title: title ?? titleOf(url), metadata };
    return { attachment: await attach(context, content, sourceType) };
  };

export const attachments: Resolvers<Context> = {
  Query: {
    attachmentIssue: async (_source, { id }: Target, context, info) => {
      const attachment = await requireRow(context, "Attachment", id);
      const issueId = attachment["issueId"];
      return await requireRow(context, "Issue", issueId, info.fields);
    },
    attachmentSources: async (_source, { teamId }: { teamId?: Optional<string> }, { session }) => ({
      sources: await countSources(session, teamId ?? null),
    }),
    attachmentsForURL: rootPage("Attachment", ({ url }) => having({ url: String(url) })),
  },
  Mutation: {
    attachmentCreate: async (_source, { input }: Given<Create>, context) => {
      const attachment = await attach(context, input);
      const { commentBody: body, commentBodyData: bodyData } = input;
      if (body || bodyData)
        await createComment(context, { issueId: input.issueId, body, bodyData });
      return { attachment };
    },

    attachmentUpdate: async (_source, { id, input }: Target & Given<Values>, context) => {
      const before = await requireRow(context, "Attachment", id);
      return {
        attachment: await changeRow(context, "Attachment", before, columnsIn("Attachment", input)),
      };
    },

    attachmentDelete: (_source, { id }: Target, context) => removeRow(context, "Attachment", id),

    attachmentLinkURL: link(undefined),
    attachmentLinkDiscord: link("discord"),
    attachmentLinkFront: link(
      "front",
      ({ conversationId }) => `https://app.frontapp.com/open/${conversationId}`,
    ),
    attachmentLinkGitHubIssue: link("github"),
    attachmentLinkGitHubPR: link("github"),
    attachmentLinkGitLabMR: link("gitlab"),
    attachmentLinkIntercom: link(
      "intercom",
      ({ conversationId }) => `https://app.intercom.com/a/conversations/${conversationId}`,
    ),
    attachmentLinkJiraIssue: link(
      "jira",
      ({ jiraIssueId }) => `https://jira.atlassian.net/browse/${jiraIssueId}`,
    ),
    attachmentLinkSalesforce: link("salesforce"),
    attachmentLinkSlack: link("slack"),
    attachmentLinkZendesk: link(
      "zendesk",
      ({ ticketId }) => `https://zendesk.com/agent/tickets/${ticketId}`,
    ),
    attachmentSyncToSlack: async (_source, { id }: Target, context) => ({
      attachment: await requireRow(context, "Attachment", id),
    }),
  },
};
