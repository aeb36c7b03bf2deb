/** A small model of calendars: events of three people, series of five days with changed instances, and answers. */

export const DAY_MS = 24 * 3_600_000;
export const COUNT = 5;
const ABSENT = 404;
const GONE = 410;
const FORBIDDEN = 403;
const OK = 200;

type Answers = Map<string, string>;

export type Event = {
  readonly id: string;
  readonly owner: string;
  readonly isSeries: boolean;
  summary: string;
  startMs: number;
  status: "confirmed" | "cancelled";
  answers: Answers;
  /** Guests who have removed their copy. */
  readonly deletedBy: Set<string>;
  readonly former: Set<string>;
  /** By the moment of their original start. */
  readonly instances: Map<number, Instance>;
};

/** A changed instance. Without `answers`, it has those of its series. */
export type Instance = {
  readonly id: string;
  summary: string;
  startMs: number;
  status: "confirmed" | "cancelled";
  answers: Answers | undefined;
};

const isSame = (a: Answers, b: Answers) =>
  a.size === b.size && [...a].every(([email, answer]) => b.get(email) === answer);

/** After another time, everyone but the organizer has to answer again. */
const reset = (answers: Answers, owner: string): Answers =>
  new Map([...answers].map(([email, answer]) => [email, email === owner ? answer : "needsAction"]));

export const instanceIdOf = ({ id }: Event, originalMs: number): string =>
  `${id}_${new Date(originalMs).toISOString().replace(/[-:]|\.\d+/g, "")}`;

/** Whose calendar has the event, also one that is cancelled there. */
const has = ({ owner, answers, former }: Event, person: string) =>
  owner === person || answers.has(person) || former.has(person);

export class CalendarModel {
  readonly events: Event[] = [];

  create(event: Pick<Event, "id" | "owner" | "isSeries" | "summary" | "startMs" | "answers">) {
    this.events.push({
      ...event,
      ...{ status: "confirmed", deletedBy: new Set(), former: new Set(), instances: new Map() },
    });
    return OK;
  }

  /** The status of a change of shared fields, if it is rejected. */
  #refusal(event: Event, actor: string): number | undefined {
    if (!has(event, actor)) return ABSENT;
    if (event.owner === actor) return undefined;
    return event.answers.has(actor) ? FORBIDDEN : ABSENT;
  }

  retitle(event: Event, actor: string, summary: string): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    for (const each of event.instances.values())
      if (each.summary === event.summary) each.summary = summary;
    event.summary = summary;
    return OK;
  }

  move(event: Event, actor: string, startMs: number): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    if (startMs === event.startMs) return OK;
    event.startMs = startMs;
    event.answers = reset(event.answers, event.owner);
    for (const original of event.instances.keys()) {
      const days = (original - startMs) / DAY_MS;
      if (!(Number.isInteger(days) && days >= 0 && days < COUNT)) event.instances.delete(original);
    }
    return OK;
  }

  answer(event: Event, actor: string, answer: string): number {
    if (!event.answers.has(actor)) return ABSENT;
    event.answers.set(actor, answer);
    if (answer !== "declined" && event.deletedBy.delete(actor))
      this.#answerInstances(event, actor, answer);
    return OK;
  }

  invite(event: Event, actor: string, guest: string): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    if (!event.answers.has(guest)) {
      event.answers.set(guest, "needsAction");
      for (const { answers } of event.instances.values())
        if (answers && !answers.has(guest)) answers.set(guest, "needsAction");
    }
    event.former.delete(guest);
    return OK;
  }

  uninvite(event: Event, actor: string, guest: string): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    if (event.answers.delete(guest)) {
      event.former.add(guest);
      for (const { answers } of event.instances.values()) answers?.delete(guest);
    }
    event.deletedBy.delete(guest);
    return OK;
  }

  remove(event: Event, actor: string): number {
    if (!has(event, actor)) return ABSENT;
    if (event.status === "cancelled") return GONE;
    if (event.owner === actor) {
      event.status = "cancelled";
      return OK;
    }
    if (!event.answers.has(actor) || event.deletedBy.has(actor)) return GONE;
    event.answers.set(actor, "declined");
    event.deletedBy.add(actor);
    this.#answerInstances(event, actor, "declined");
    return OK;
  }

  /** Who deletes the copy of a series, or has it again, does so with instances that have answers of their own. */
  #answerInstances({ instances }: Event, actor: string, answer: string): void {
    for (const { answers } of instances.values())
      if (answers?.has(actor)) answers.set(actor, answer);
  }

  #instance(event: Event, originalMs: number): Instance {
    const known = event.instances.get(originalMs);
    if (known) return known;
    const { summary } = event;
    const made: Instance = {
      ...{ id: instanceIdOf(event, originalMs), summary, startMs: originalMs },
      ...{ status: "confirmed", answers: undefined },
    };
    event.instances.set(originalMs, made);
    return made;
  }

  moveInstance(event: Event, actor: string, originalMs: number, startMs: number): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    const instance = this.#instance(event, originalMs);
    if (instance.startMs === startMs) return OK;
    instance.startMs = startMs;
    this.#answerIn(event, instance, reset(instance.answers ?? event.answers, event.owner));
    return OK;
  }

  /** Answers that are those of the series are not stored again. */
  #answerIn(event: Event, instance: Instance, answers: Answers): void {
    if (instance.answers || !isSame(answers, event.answers)) instance.answers = answers;
  }

  answerInstance(event: Event, actor: string, originalMs: number, answer: string): number {
    const instance = this.#instance(event, originalMs);
    const answers = new Map(instance.answers ?? event.answers);
    if (!answers.has(actor)) return ABSENT;
    this.#answerIn(event, instance, answers.set(actor, answer));
    return OK;
  }

  cancelInstance(event: Event, actor: string, originalMs: number): number {
    const refusal = this.#refusal(event, actor);
    if (refusal) return refusal;
    const instance = this.#instance(event, originalMs);
    if (instance.status === "cancelled") return GONE;
    instance.status = "cancelled";
    return OK;
  }

  /** The rows of events and of attendees, as lines. */
  get lines(): string[] {
    const rowOf = (each: Pick<Event, "id" | "status" | "summary" | "startMs">) =>
      `${each.id} ${each.status} ${each.summary} ${new Date(each.startMs).toISOString()}`;
    const answersOf = (id: string, answers: Answers) =>
      [...answers].map(([email, answer]) => `${id} ${email} ${answer}`);
    return this.events
      .flatMap((event) => [
        rowOf(event),
        ...answersOf(event.id, event.answers),
        ...[...event.instances.values()].flatMap((each) => [
          rowOf(each),
          ...answersOf(each.id, each.answers ?? new Map()),
        ]),
      ])
      .toSorted();
  }
}
