/** Sessions of agents on issues, their activities, and agent skills. */

import type { RowObject } from "~/graphql/page";
import type { Resolvers, TypeNames } from "~/graphql/resolvers";
import {
  bodyDataOf,
  openSession,
  STATUS_AFTER,
  writeStatus,
} from "~/replicas/tracker/agent-sessions";
import { create, modelOf, mutationsOf, type Rules } from "~/replicas/tracker/api/entity";

import { changeRow, type Given, type Target } from "~/replicas/tracker/change";
import { bodyOf, type CommentBody, createComment } from "~/replicas/tracker/comments";
import type { Context } from "~/replicas/tracker/context";
import { invalidInput } from "~/replicas/tracker/errors";
import { requireRow } from "~/replicas/tracker/require";
import { workspaceUrl } from "~/replicas/tracker/urls";

type Link = { readonly label: string; readonly url: string };
type Urls = {
  readonly externalLink?: string | null;
  readonly externalUrls?: readonly Link[] | null;
  readonly addedExternalUrls?: readonly Link[] | null;
  readonly removedExternalUrls?: readonly string[] | null;
};

/** The links of a session after a change. */
function linksAfter(input: Urls, had: readonly Link[]): readonly Link[] {
  const { externalLink, externalUrls, addedExternalUrls, removedExternalUrls } = input;
  const single = externalLink == null ? undefined : [{ label: externalLink, url: externalLink }];
  const set = externalUrls ?? single ?? (externalLink === null ? [] : had);
  const kept = set.filter(({ url }) => !removedExternalUrls?.includes(url));
  const added = addedExternalUrls ?? [];
  return [...kept.filter(({ url }) => !added.some((one) => one.url === url)), ...added];
}

const linksOf = (session: RowObject) => (session["externalLinks"] ?? []) as readonly Link[];

const open = async (context: Context, input: Urls, of: Readonly<Record<string, unknown>>) => ({
  agentSession: await openSession(context, {
    ...of,
    appUserId: context.viewer.id,
    externalLinks: linksAfter(input, []),
  }),
});

const neededIn = (type: string) => (type === "action" ? ["action", "parameter"] : ["body"]);

type Content = {
  readonly type?: unknown;
  readonly body?: unknown;
  readonly [field: string]: unknown;
};

const activityRules: Rules = {
  operations: ["create"],
  create: (
    { content, ephemeral }: { content: Content; ephemeral?: boolean | null },
    { viewer },
  ) => {
    const type = String(content.type);
    if (!Object.hasOwn(STATUS_AFTER, type))
      throw invalidInput(
        `The type of an activity is one of: ${Object.keys(STATUS_AFTER).join(", ")}`,
      );
    for (const name of neededIn(type))
      if (typeof content[name] !== "string")
        throw invalidInput(`An activity of type ${type} needs ${name}`);
    return {
      content: { ...content, ...bodyDataOf(content.body) },
      ephemeral: ephemeral ?? false,
      queued: false,
      userId: viewer.id,
    };
  },
  written: async (activity, _input, context) => {
    const session = await requireRow(context, "AgentSession", String(activity["agentSessionId"]));
    const { type, body } = activity["content"] as Content;
    const written = await writeStatus(context, session, String(type));
    if (type === "response") await answer(context, written, String(body));
  },
};

/** A response is also a comment in the thread of the session; without one, it begins it. */
async function answer(context: Context, session: RowObject, body: string): Promise<void> {
  const { issueId, commentId } = session as { issueId?: string; commentId?: string };
  if (issueId === undefined || body.trim() === "") return;
  const comment = await createComment(context, { issueId, parentId: commentId, body });
  if (commentId === undefined)
    await changeRow(context, "AgentSession", session, { commentId: comment.id });
}

type Prompt = {
  readonly content: CommentBody;
  readonly queued?: boolean | null;
  readonly [field: string]: unknown;
};

const TITLE_LENGTH_MAX = 80;

const skillRules: Rules = {
  operations: ["create", "update", "delete"],
  create: ({ title, body }: { title?: string | null; body: string }, { viewer }) => ({
    title:
      title ??
      body
        .split("\n")[0]
        ?.replace(/^#+\s*/, "")
        .slice(0, TITLE_LENGTH_MAX)
        .toWellFormed(),
    ownerId: viewer.id,
    shared: false,
    recentUsageCount: 0,
  }),
  update: (_skill, _input, { viewer }) => ({ lastUpdatedById: viewer.id }),
};

type Candidate = { readonly hostname: string; readonly repositoryFullName: string };

/** The confidence that an issue is about a repository: whether it names it. */
const suggestion = (issue: RowObject, { hostname, repositoryFullName }: Candidate) => {
  const text = `${issue["title"]} ${issue["description"] ?? ""}`.toLowerCase();
  const name = repositoryFullName.toLowerCase().split("/").at(-1) ?? "";
  return { hostname, repositoryFullName, confidence: text.includes(name) ? 1 : 0.5 };
};

export const agents: Resolvers<Context> = {
  AgentSession: {
    context: ({ context }: RowObject) => context ?? {},
    externalLink: (session: RowObject) => linksOf(session)[0]?.url ?? null,
    externalLinks: linksOf,
    externalUrls: linksOf,
    url: ({ slugId }: RowObject, _args, context) =>
      workspaceUrl(context, "agent-session", String(slugId)),
  },
  Query: {
    issueRepositorySuggestions: async (
      _source,
      args: { issueId: string; candidateRepositories: readonly Candidate[] },
      context,
    ) => {
      const issue = await requireRow(context, "Issue", args.issueId);
      const suggestions = args.candidateRepositories.map((one) => suggestion(issue, one));
      return { suggestions: suggestions.toSorted((a, b) => b.confidence - a.confidence) };
    },
  },
  Mutation: {
    ...mutationsOf("AgentActivity", activityRules),
    agentActivityCreatePrompt: async (_source, { input }: Given<Prompt>, context, info) => {
      const { content, queued: _, ...rest } = input;
      const text = bodyOf(content);
      if (!text) throw invalidInput("A prompt needs a body");
      const prompt = { ...rest, content: { type: "prompt", body: text.body } };
      const model = modelOf("AgentActivity");
      return { agentActivity: await create(model, activityRules, prompt, context, info) };
    },
    ...mutationsOf("AgentSkill", skillRules),
    agentSessionCreateOnIssue: async (
      _source,
      { input }: Given<Urls & { issueId: string }>,
      context,
    ) => open(context, input, { issueId: (await requireRow(context, "Issue", input.issueId)).id }),
    agentSessionCreateOnComment: async (
      _source,
      { input }: Given<Urls & { commentId: string }>,
      context,
    ) => {
      const comment = await requireRow(context, "Comment", input.commentId);
      return open(context, input, { commentId: comment.id, issueId: comment["issueId"] });
    },
    agentSessionUpdate: async (
      _source,
      { id, input }: Target & Given<Urls & Record<string, unknown>>,
      context,
    ) => {
      const session = await requireRow(context, "AgentSession", id);
      const { plan, summary, dismissedAt } = input;
      const agentSession = await changeRow(context, "AgentSession", session, {
        plan,
        summary,
        dismissedAt,
        ...(dismissedAt !== undefined && {
          dismissedById: dismissedAt === null ? null : context.viewer.id,
        }),
        externalLinks: linksAfter(input, linksOf(session)),
      });
      return { agentSession };
    },
    agentSessionUpdateExternalUrl: async (
      _source,
      { id, input }: Target & Given<Urls>,
      context,
    ) => {
      const session = await requireRow(context, "AgentSession", id);
      const externalLinks = linksAfter(input, linksOf(session));
      return { agentSession: await changeRow(context, "AgentSession", session, { externalLinks }) };
    },
  },
};

export const activityNames: TypeNames<Context> = {
  AgentActivityContent: ({ type }) => {
    const name = String(type);
    return `AgentActivity${name.charAt(0).toUpperCase()}${name.slice(1)}Content`;
  },
};
