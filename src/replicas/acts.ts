/** Acts of people in a service that are no calls of it: its app learns of them, and answers. */
import type { Session } from "~/db/session";
import type { EventApp } from "~/replicas/events";

/** An act that the owner of an environment makes a person do. */
export type Act = {
  /** As the owner gave it. JSON. */
  readonly given: { readonly [field: string]: unknown };
  /** Of the event that follows from it: unique in the environment. */
  readonly number: number;
  /** The time of the environment, in microseconds since 1970. */
  readonly micros: number;
  /** The environment's. */
  readonly secret: Uint8Array;
};

/** The event of an act, and who learns of it: once, without another attempt. */
type ActEvent<Name extends string> = {
  readonly type: string;
  readonly payload: object;
  /** Why an app does not receive it, by the app's id. */
  readonly missed: { readonly [app: string]: string };
  /** The change that the act makes by itself, the person's: see `isChange`. */
  readonly change?: (session: Session<Name>) => Promise<void>;
};

/** An act that its app has acknowledged. */
export type AcknowledgedAct = {
  /** Of its event. */
  readonly payload: object;
  /** The answer in the acknowledgement; empty: none. JSON. */
  readonly answer: { readonly [field: string]: unknown };
};

/** A call in which the app's answer to an act takes effect. */
export type AnswerCall<Name extends string = string> = {
  readonly session: Session<Name>;
  /** The user that the app acts as. */
  readonly user: string;
  /** The environment's. */
  readonly secret: Uint8Array;
};

export type Acts<Name extends string = string> = {
  /** The types of acts. */
  readonly names: readonly string[];
  /** The types of the events that follow, as lists have them. No app subscribes to them. */
  readonly types: readonly string[];
  /** Checks an act, and returns its event. Throws ApiError with `invalid_request` for one that the person cannot do. */
  readonly perform: (
    session: Session<Name>,
    act: Act,
    apps: readonly EventApp[],
  ) => Promise<ActEvent<Name>>;
  /**
   * The effect of an acknowledgement, if it has one. The effect returns why the service does not accept the answer, and
   * has changed nothing then; undefined: it does.
   */
  readonly effectOf: (
    act: AcknowledgedAct,
  ) => ((call: AnswerCall<Name>) => Promise<string | undefined>) | undefined;
  /** Whether the person waits for the answer to an act. */
  readonly isAnswered: (given: Act["given"]) => boolean;
  /** Whether an act changes something by itself. */
  readonly isChange: (given: Act["given"]) => boolean;
};

/** The event of an act, for its app, which answers it at the address that came with it. */
export type AnsweredEvent = {
  readonly payload: object | null;
  /** The time of the environment when the person acted, in microseconds since 1970. */
  readonly micros: number;
  /** The user that its app acts as. */
  readonly user: string;
  /** How often its address was used, with this time: exact up to a hundred. */
  readonly uses: number;
};
