/** Acts of people in a service that change no row: its app learns of them, and answers. */
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
type ActEvent = {
  readonly type: string;
  readonly payload: object;
  /** Why an app does not receive it, by the app's id. */
  readonly missed: { readonly [app: string]: string };
};

export type Acts<Name extends string = string> = {
  /** The types of the events that follow, as lists have them. No app subscribes to them. */
  readonly types: readonly string[];
  /** Checks an act, and returns its event. Throws ApiError with `invalid_request` for one that the person cannot do. */
  readonly perform: (
    session: Session<Name>,
    act: Act,
    apps: readonly EventApp[],
  ) => Promise<ActEvent>;
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
