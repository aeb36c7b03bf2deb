/** A second implementation of issues, their labels, relations and archive: small, slow, and only from the documentation. */

export type State = { id: string; team: string; type: string };
export type Team = { id: string; firstState: string };
export type Issue = {
  id: string;
  team: string;
  state: string;
  labels: string[];
  parent: string | null;
  /** When it was archived: equal for issues that one call archived. */
  archived: number | null;
  isTrashed: boolean;
  snoozed: string | null;
  snoozedBy: string | null;
  isStarted: boolean;
  isCompleted: boolean;
  isCanceled: boolean;
};
export type Label = {
  id: string;
  name: string;
  team: string | null;
  group: string | null;
  isGroup: boolean;
  isRetired: boolean;
};
export type Relation = { id: string; from: string; to: string; type: string };

type Args = Record<string, any>;
/** "ok", or the rule that rejects the call. `done`: what only the answer says. */
export type Outcome = string | { done: (id: string) => void };

class Rejection extends Error {}
const reject = (rule: string): never => {
  throw new Rejection(rule);
};

export class TrackerModel {
  readonly teams: readonly Team[];
  readonly states: readonly State[];
  readonly admin: string;
  issues: Issue[];
  labels: Label[];
  relations: Relation[] = [];
  #calls = 0;

  constructor(given: Pick<TrackerModel, "teams" | "states" | "admin" | "issues" | "labels">) {
    ({ teams: this.teams, states: this.states, admin: this.admin } = given);
    ({ issues: this.issues, labels: this.labels } = given);
  }

  call(name: string, actor: string, args: Args): Outcome {
    this.#calls++;
    try {
      return this.#perform(name, actor, args) ?? "ok";
    } catch (error) {
      if (error instanceof Rejection) return error.message;
      throw error;
    }
  }

  #perform(name: string, actor: string, { id, input = {}, ...args }: Args): Outcome | undefined {
    switch (name) {
      case "issueCreate":
        return this.#createIssue(input);
      case "issueUpdate":
        if (input.labelIds && (input.addedLabelIds || input.removedLabelIds))
          reject("both lists of labels");
        return this.#updateIssue(actor, this.#issue(id), input);
      case "issueAddLabel":
        return this.#updateIssue(actor, this.#issue(id), { addedLabelIds: [args["labelId"]] });
      case "issueRemoveLabel":
        this.#label(args["labelId"]);
        return this.#updateIssue(actor, this.#issue(id), { removedLabelIds: [args["labelId"]] });
      case "issueArchive":
        if (args["trash"]) return this.#trash(this.#issue(id));
        this.#issue(id).archived ??= this.#calls;
        return "ok";
      case "issueUnarchive":
        return this.#restore(this.#issue(id));
      case "issueDelete":
        if (!args["permanentlyDelete"]) return this.#trash(this.#issue(id));
        return this.#remove(actor, this.#issue(id));
      case "issueLabelCreate":
        return this.#createLabel(input);
      case "issueLabelUpdate":
        return this.#updateLabel(this.#label(id), input);
      case "issueLabelDelete":
        return this.#removeLabel(this.#label(id));
      case "issueLabelRetire":
      case "issueLabelRestore":
        this.#label(id).isRetired = name === "issueLabelRetire";
        return "ok";
      case "issueRelationCreate":
        return this.#relate(input);
      case "issueRelationUpdate":
        return this.#changeRelation(this.#relation(id), input);
      case "issueRelationDelete":
        this.relations.splice(this.relations.indexOf(this.#relation(id)), 1);
        return "ok";
    }
    throw new Error(`the model has no ${name}`);
  }

  readonly #issue = (id: string) => this.issues.find((one) => one.id === id) ?? reject("missing");
  readonly #label = (id: string) => this.labels.find((one) => one.id === id) ?? reject("missing");
  readonly #relation = (id: string) =>
    this.relations.find((one) => one.id === id) ?? reject("missing");
  readonly #type = (state: string) => this.states.find(({ id }) => id === state)?.type;

  #createIssue({ teamId, stateId, parentId, labelIds = [] }: Args): Outcome {
    const first = this.teams.find(({ id }) => id === teamId)?.firstState ?? reject("missing");
    const issue: Issue = {
      ...{ id: "", team: teamId, state: stateId ?? first, labels: [], parent: parentId ?? null },
      ...{ archived: null, isTrashed: false, snoozed: null, snoozedBy: null },
      ...{ isStarted: false, isCompleted: false, isCanceled: false },
    };
    this.#requireState(issue, issue.state);
    if (this.#type(issue.state) === "duplicate") reject("duplicate state");
    if (parentId) this.#issue(parentId);
    issue.labels = this.#replaced(issue, labelIds);
    setTimes(issue, undefined, this.#type(issue.state));
    return { done: (id) => void this.issues.push({ ...issue, id }) };
  }

  #requireState({ team }: Issue, state: string): void {
    if (this.states.find(({ id }) => id === state)?.team !== team) reject("state of another team");
  }

  #updateIssue(actor: string, issue: Issue, input: Args): Outcome {
    const { stateId, labelIds, addedLabelIds, removedLabelIds, parentId, trashed } = input;
    if (stateId) this.#requireState(issue, stateId);
    if (stateId && stateId !== issue.state && this.#type(stateId) === "duplicate") {
      const isMarked = ({ from, type }: Relation) => from === issue.id && type === "duplicate";
      if (!this.relations.some(isMarked)) reject("duplicate state");
    }
    const labels = labelIds
      ? this.#replaced(issue, labelIds)
      : this.#added(issue, addedLabelIds ?? [], removedLabelIds ?? []);
    if (parentId && this.#line(this.#issue(parentId)).includes(issue)) reject("own ancestor");

    issue.labels = labels;
    if (stateId) this.#enter(issue, stateId);
    if (parentId !== undefined) issue.parent = parentId;
    if (input["snoozedUntilAt"] !== undefined) {
      issue.snoozed = input["snoozedUntilAt"];
      issue.snoozedBy = issue.snoozed === null ? null : actor;
    }
    if (input["snoozedById"]) issue.snoozedBy = input["snoozedById"];
    if (trashed) this.#trash(issue);
    else if (trashed !== undefined && issue.isTrashed) this.#restore(issue);
    else if (trashed !== undefined) issue.archived = null;
    return "ok";
  }

  #enter(issue: Issue, state: string): void {
    setTimes(issue, this.#type(issue.state), this.#type(state));
    issue.state = state;
  }

  /** An issue and what is above it. */
  #line(issue: Issue): Issue[] {
    return issue.parent === null ? [issue] : [issue, ...this.#line(this.#issue(issue.parent))];
  }

  #requireApplicable(id: string, { team }: Issue): Label {
    const label = this.#label(id);
    if (label.isGroup) reject("label group");
    if (label.team !== null && label.team !== team) reject("label of another team");
    return label;
  }

  readonly #areRivals = (one: Label, other: Label) =>
    one !== other && one.group !== null && one.group === other.group;

  #replaced(issue: Issue, ids: readonly string[]): string[] {
    const wanted = [...new Set(ids)].map((id) => this.#requireApplicable(id, issue));
    for (const label of wanted) {
      if (label.isRetired && !issue.labels.includes(label.id)) reject("retired label");
      if (wanted.some((other) => this.#areRivals(label, other))) reject("labels of one group");
    }
    return wanted.map(({ id }) => id);
  }

  #added(issue: Issue, added: readonly string[], removed: readonly string[]): string[] {
    const before = issue.labels.filter((id) => !removed.includes(id));
    let labels = before;
    for (const id of added) {
      const label = this.#requireApplicable(id, issue);
      if (label.isRetired && !before.includes(id)) reject("retired label");
      labels = labels.filter((other) => !this.#areRivals(label, this.#label(other)));
      if (!labels.includes(id)) labels = [...labels, id];
    }
    return labels;
  }

  #below(issue: Issue): Issue[] {
    const children = this.issues.filter(({ parent }) => parent === issue.id);
    return [issue, ...children.flatMap((child) => this.#below(child))];
  }

  #trash(issue: Issue): Outcome {
    const moment = issue.archived ?? this.#calls;
    for (const one of this.#below(issue)) {
      one.archived ??= moment;
      one.isTrashed = true;
    }
    return "ok";
  }

  #restore(issue: Issue): Outcome {
    const { isTrashed, archived } = issue;
    for (const one of this.#below(issue)) {
      const isWith = isTrashed && one.isTrashed && one.archived === archived;
      if (one === issue || isWith) Object.assign(one, { archived: null, isTrashed: false });
    }
    return "ok";
  }

  #remove(actor: string, issue: Issue): Outcome {
    if (actor !== this.admin) reject("admins only");
    this.issues = this.issues.filter((one) => one !== issue);
    for (const one of this.issues) if (one.parent === issue.id) one.parent = null;
    this.relations = this.relations.filter(({ from, to }) => from !== issue.id && to !== issue.id);
    return "ok";
  }

  #requireGroup(parentId: string | null | undefined, team: string | null, isGroup: boolean): void {
    if (!parentId) return;
    const parent = this.#label(parentId);
    if (isGroup) reject("group in a group");
    if (!parent.isGroup) reject("no group");
    if (parent.team !== null && parent.team !== team) reject("group of another team");
  }

  /** A team's label and a workspace's label cannot have the same name. */
  #requireFree(name: string, team: string | null, but?: Label): void {
    const isRival = (one: Label) => one.team === null || team === null || one.team === team;
    const sameName = (one: Label) => one.name.toLowerCase() === name.toLowerCase();
    if (this.labels.some((one) => one !== but && sameName(one) && isRival(one)))
      reject("name taken");
  }

  #createLabel({ name, teamId = null, parentId = null, isGroup = false }: Args): Outcome {
    this.#requireGroup(parentId, teamId, isGroup);
    this.#requireFree(name, teamId);
    const label = { name, team: teamId, group: parentId, isGroup, isRetired: false };
    return { done: (id) => void this.labels.push({ ...label, id }) };
  }

  #updateLabel(label: Label, input: Args): Outcome {
    const { name = label.name, isGroup = label.isGroup, parentId: group = label.group } = input;
    if (isGroup && !label.isGroup && this.issues.some(({ labels }) => labels.includes(label.id)))
      reject("label in use");
    if (!isGroup && label.isGroup && this.labels.some((one) => one.group === label.id))
      reject("group with labels");
    this.#requireGroup(group, label.team, isGroup);
    this.#requireFree(name, label.team, label);
    Object.assign(label, { name, isGroup, group });
    return "ok";
  }

  #removeLabel(label: Label): Outcome {
    this.labels = this.labels.filter((one) => one !== label);
    for (const one of this.labels) if (one.group === label.id) one.group = null;
    for (const issue of this.issues) issue.labels = issue.labels.filter((id) => id !== label.id);
    return "ok";
  }

  #requireRelation({ from, to, type }: Relation, but?: Relation): void {
    this.#issue(from);
    this.#issue(to);
    if (from === to) reject("one issue");
    const isSymmetric = type === "related" || type === "similar";
    const isSame = (one: Relation) =>
      (one.from === from && one.to === to) || (isSymmetric && one.from === to && one.to === from);
    if (this.relations.some((one) => one !== but && one.type === type && isSame(one)))
      reject("related already");
  }

  #closeDuplicate({ from, type }: Relation): void {
    if (type !== "duplicate") return;
    const issue = this.#issue(from);
    const state = this.states.find((one) => one.team === issue.team && one.type === "duplicate");
    if (state) this.#enter(issue, state.id);
  }

  #relate({ issueId: from, relatedIssueId: to, type }: Args): Outcome {
    const relation = { id: "", from, to, type };
    this.#requireRelation(relation);
    return {
      done: (id) => {
        this.relations.push({ ...relation, id });
        this.#closeDuplicate(relation);
      },
    };
  }

  #changeRelation(
    relation: Relation,
    { relatedIssueId: to = relation.to, type = relation.type }: Args,
  ) {
    const changed = { ...relation, to, type };
    this.#requireRelation(changed, relation);
    Object.assign(relation, changed);
    this.#closeDuplicate(relation);
    return "ok";
  }
}

/** A started issue that is closed was still started; a closed one that is opened again was not. */
function setTimes(issue: Issue, from: string | undefined, to: string | undefined): void {
  if (from === to || to === "triage") return;
  const isClosed = to === "completed" || to === "canceled" || to === "duplicate";
  issue.isStarted = to === "started" || (isClosed && issue.isStarted);
  issue.isCompleted = to === "completed";
  issue.isCanceled = to === "canceled" || to === "duplicate";
}
