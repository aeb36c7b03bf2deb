/** One issue: its text, fields, links, comments and history. */
import type { ComponentChildren } from "preact";
import { useLive } from "~/console/live";
import { useLoad } from "~/console/loading";
import { Avatar } from "~/console/parts/avatar";
import { Id, Ready } from "~/console/parts/basics";
import { Time, type WorldClock } from "~/console/parts/clock";
import { Dialog } from "~/console/parts/dialog";
import { MarkNote } from "~/console/parts/mark-note";
import { Markdown } from "~/console/parts/markdown";
import { Long } from "~/console/parts/text";
import { setQuery } from "~/console/place";
import {
  type Entry,
  type Person,
  PRIORITIES,
  type Tracker,
  type WholeIssue,
} from "~/console/services/tracker/data";
import type { IssueMarks } from "~/console/services/tracker/marks";
import { LabelChips, PersonName, Priority, StateName } from "~/console/services/tracker/signs";

const open = (id: string | undefined) => setQuery({ issue: id });
const nameOf = (person: Person | null) => person?.name ?? "Unknown user";

export function IssueView({
  tracker,
  id,
  marks,
  clock,
}: {
  tracker: Tracker;
  id: string;
  marks: IssueMarks;
  clock: WorldClock;
}) {
  const loaded = useLoad((signal) => tracker.issue(id, signal), [tracker, id]);
  useLive(loaded.reload, ({ name }) => name === "call");
  return (
    <Dialog title={loaded.data?.identifier ?? "Issue"} close={() => open(undefined)}>
      <Ready of={loaded}>{(issue) => <Issue of={issue} marks={marks} clock={clock} />}</Ready>
    </Dialog>
  );
}

function Issue({ of, marks, clock }: { of: WholeIssue; marks: IssueMarks; clock: WorldClock }) {
  const fields: readonly (readonly [string, ComponentChildren])[] = [
    ["State", <StateName of={of.state} />],
    ["Assignee", of.assignee && <PersonName of={of.assignee} />],
    [
      "Priority",
      of.priority > 0 && (
        <>
          <Priority of={of.priority} /> <span aria-hidden="true">{PRIORITIES[of.priority]}</span>
        </>
      ),
    ],
    ["Labels", of.labels.nodes.length > 0 && <LabelChips of={of.labels.nodes} />],
    ["Project", of.project?.name],
    ["Cycle", of.cycle && (of.cycle.name ?? of.cycle.number)],
    ["Estimate", of.estimate],
    ["Due", of.dueDate],
    ["Creator", of.creator && <PersonName of={of.creator} />],
  ];
  const links = [
    ...(of.parent ? [["Sub-issue of", of.parent] as const] : []),
    ...of.children.nodes.map((child) => ["Sub-issue", child] as const),
    ...of.relations.nodes.map(({ type, relatedIssue }) => [type, relatedIssue] as const),
    ...of.inverseRelations.nodes.map(({ type, issue }) => [`${type} (of it)`, issue] as const),
  ];
  return (
    <>
      <h3>
        <bdi>{of.title}</bdi>
      </h3>
      <p>
        <Id id={of.id} name="issue's id" />
      </p>
      <dl class="fields">
        {fields.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {of.description && (
        <Long text={of.description} max={20_000}>
          {(shown) => <Markdown text={shown} />}
        </Long>
      )}
      {links.length > 0 && (
        <>
          <h3>Links</h3>
          <ul>
            {links.map(([kind, { id, identifier, title }], index) => (
              <li key={index}>
                {kind}{" "}
                <button type="button" class="link" onClick={() => open(id)}>
                  {identifier} {title}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {of.comments.nodes.length > 0 && <h3>Comments</h3>}
      {of.comments.nodes
        .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
        .map(({ id, user, body, createdAt }) => {
          const isNew = marks.baseline?.has(id) === false;
          return (
            <article key={id} class={`thing ${isNew ? "tinted latest" : ""}`}>
              <Avatar id={user?.id ?? ""} name={nameOf(user)} /> <strong>{nameOf(user)}</strong>{" "}
              <span class="quiet">
                <Time at={createdAt} clock={clock} />
              </span>
              <Long text={body} max={10_000}>
                {(shown) => <Markdown text={shown} />}
              </Long>
              <MarkNote mark={isNew ? "new" : undefined} cause={marks.causes.get(id)} />
            </article>
          );
        })}
      {of.history.nodes.length > 0 && <h3>History</h3>}
      <ul class="history quiet">
        {of.history.nodes.map((entry) => (
          <li key={entry.id}>
            <Avatar id={entry.actor?.id ?? ""} name={nameOf(entry.actor)} />
            <span class="grow">
              {nameOf(entry.actor)} {wordsOf(entry)}
            </span>
            <Time at={entry.createdAt} clock={clock} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Describes an entry of the history. */
function wordsOf(entry: Entry): string {
  const { fromState, toState, toTitle, toAssignee, fromAssignee, toPriority } = entry;
  const { addedLabels, removedLabels, updatedDescription } = entry;
  const names = (labels: readonly { name: string }[]) => labels.map(({ name }) => name).join(", ");
  const words = [
    toState && `moved it ${fromState ? `from ${fromState.name} ` : ""}to ${toState.name}`,
    toTitle && `renamed it to “${toTitle.slice(0, 200)}”`,
    toAssignee && `assigned it to ${toAssignee.name}`,
    !toAssignee && fromAssignee && `unassigned ${fromAssignee.name}`,
    toPriority !== null && `set its priority to ${PRIORITIES[toPriority] ?? toPriority}`,
    addedLabels?.length && `added ${names(addedLabels)}`,
    removedLabels?.length && `removed ${names(removedLabels)}`,
    updatedDescription && "changed its description",
  ].filter(Boolean);
  return words.length > 0 ? words.join(", ") : "changed it";
}
