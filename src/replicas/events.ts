/** Events: what a service reports to the apps of an environment. They follow from the changes of its rows. */
import type { Session } from "~/db/session";

/** Column by column, as `to_jsonb` shows a row. */
export type EventRow = { readonly [column: string]: unknown };

/** A change of a row in an environment's service, in the order of commits. */
export type RowChange<Name extends string = string> = {
  /** From 1. */
  readonly number: number;
  /** Equal for the changes of one transaction, which follow each other. */
  readonly transaction: string;
  readonly table: Name;
  /** Null for a new row. */
  readonly before: EventRow | null;
  /** Null for a deleted row. */
  readonly after: EventRow | null;
  /** The time of the environment when it was made, in microseconds since 1970. */
  readonly micros: number;
  /** The user that made it. Undefined: the service does not report it, or nobody did. */
  readonly user?: string | undefined;
};

/** An app of an environment that receives events. */
export type EventApp = {
  readonly id: string;
  /** The user that it acts as. */
  readonly user: string;
  /** The types that it subscribes to. */
  readonly events: readonly string[];
  /** Null: every scope. */
  readonly scopes: readonly string[] | null;
  /** The domains whose links it previews, in lower case. */
  readonly domains: readonly string[];
  /** It is a webhook, which is a row of the service. It acts as no user. */
  readonly webhook?: WebhookSettings | null;
};

/** The part of a webhook that its requests and its audience depend on. JSON. */
export type WebhookSettings = {
  /** With which its requests are signed. */
  readonly secret: string;
  /** Its only team; null: all that everybody sees. */
  readonly teamId: string | null;
};

/** A row of a service that subscribes to events by itself. */
export type Webhook = {
  readonly id: string;
  readonly url: string;
  /** None if it is disabled. */
  readonly events: readonly string[];
  readonly settings: WebhookSettings;
};

/** An event that nothing in the environment causes. */
type RaisedEvent = {
  readonly type: string;
  /** The fields that the service would send. JSON. */
  readonly event: { readonly [field: string]: unknown };
  /** The time of the environment, in microseconds since 1970. */
  readonly micros: number;
};

/** Something that happened, and who learns of it. */
type ServiceEvent = {
  /** The number of the change that caused it. */
  readonly change: number;
  /** As apps subscribe to it: `message.channels`. */
  readonly type: string;
  /** The part that does not depend on the app. JSON. */
  readonly payload: object;
  /** Why an app does not receive it, by the app's id. The others do. */
  readonly missed: { readonly [app: string]: string };
};

/** An attempt to deliver an event to an app. */
export type EventDelivery = {
  readonly app: Pick<EventApp, "id" | "user" | "webhook">;
  /** The address at which the app reached the service, without a trailing slash: that of files. */
  readonly baseUrl: string;
  readonly payload: object;
  /** The same in each attempt; unique in the environment for the app. */
  readonly number: number;
  /** From 0. */
  readonly attempt: number;
  /** Why the attempt before it failed. Null for the first one. */
  readonly failed: string | null;
};

/** An attempt to deliver an event to a webhook that failed. */
export type DeliveryFailure = Pick<EventDelivery, "number" | "attempt"> & {
  /** The time of the environment, in milliseconds. */
  readonly at: number;
  /** The address of the webhook. */
  readonly url: string;
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The beginning of the answer, or why there is none. */
  readonly answer: string;
};

/** Failures that are kept of a webhook. */
export const FAILURES_MAX = 50;

/** Why attempts fail, as lists of deliveries have it; a request also by the `status` of its answer. */
export const NOT_ACKNOWLEDGED = "no acknowledgement";
export const NOT_CONNECTED = "connection failed";
export const NO_TLS = "TLS failed";
export const REDIRECTED = "too many redirects";

/** A POST to the address of an app. The names of headers are in lower case. */
export type EventRequest = {
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
};

/** When a service considers an event delivered, and when it repeats it. */
export type Schedule = {
  /** How long it waits for an acknowledgement. */
  readonly acknowledgeMs: number;
  /** Delays of the attempts after the first, by the environment's clock. */
  readonly retryMs: readonly number[];
  /** Connections open at the same time, for an app. */
  readonly connectionsMax: number;
};

/** How a service sends events over HTTP, to the address of an app. */
export type RequestMode = {
  /** Redirects that it follows. */
  readonly redirectsMax: number;
  /** An app checks the signatures of requests with it. `secret`: the environment's. Undefined: they have none. */
  readonly signingSecret?: (secret: Uint8Array, app: string) => string;
  /** A request that an app answers before it receives events, and the text that its answer contains, if there is one. */
  readonly challenge?: (
    secret: Uint8Array,
    app: string,
  ) => { readonly request: EventRequest; readonly expected: string };
  readonly request: (secret: Uint8Array, delivery: EventDelivery) => EventRequest;
  /** Whether the status of an answer acknowledges the event. */
  readonly isAcknowledged: (status: number) => boolean;
  /** Whether an answer that acknowledges nothing asks for no other attempt. Names of headers in lower case. */
  readonly isLast: (answer: {
    readonly status: number;
    readonly headers: { readonly [name: string]: unknown };
  }) => boolean;
};

/** How a service delivers events over a WebSocket that an app has opened. */
export type SocketMode = {
  /** Of the service: `link`. */
  readonly path: string;
  /** In front of the environment's token: the token with which an app opens connections. */
  readonly tokenPrefix: (app: string) => string;
  /** Between two pings of the server. */
  readonly pingMs: number;
  /** Reads the ticket of a request. Undefined if it is none of this environment, or has expired. `now`: real time, in ms. */
  readonly readTicket: (
    secret: Uint8Array,
    query: URLSearchParams,
    now: number,
  ) => { readonly app: string; readonly ticket: string; readonly expiresAt: number } | undefined;
  /** The first message. `connections`: open ones of the app, with this one. */
  readonly hello: (app: string, connections: number) => string;
  readonly message: (secret: Uint8Array, delivery: EventDelivery) => string;
  /** Reads a message of the app: the number and the attempt of the delivery that it acknowledges, and its answer. */
  readonly acknowledged: (text: string) =>
    | {
        readonly number: number;
        readonly attempt: number;
        readonly answer?: { readonly [field: string]: unknown };
      }
    | undefined;
  /** The message before the server closes the connection. */
  readonly goodbye: (reason: "refresh" | "too_many" | "disabled") => string;
};

export type Events<Name extends string = string> = {
  /** Tables whose changes cause events. */
  readonly tables: readonly Name[];
  /** The types that apps can subscribe to, with the scopes of which an app needs one. None: it needs none. */
  readonly types: { readonly [type: string]: readonly string[] };
  /** Whether a text has the form of an app's id. */
  readonly isAppId: (text: string) => boolean;
  readonly appIdExample: string;
  /** There are events of links to the domains of an app. */
  readonly haveDomains?: true;
  /** The user of an app, if the environment has one. */
  readonly findBot: (session: Session<Name>, app: string) => Promise<string | undefined>;
  /**
   * The events that follow from changes, in their order. The session shows a state after the changes; `later` returns
   * changes of a table after them, with all that the session has shown by then.
   */
  readonly derive: (
    session: Session<Name>,
    changes: readonly RowChange[],
    apps: readonly EventApp[],
    later: (table: Name) => Promise<readonly RowChange[]>,
  ) => Promise<readonly ServiceEvent[]>;
  /** An event that is raised by hand. Every app that subscribes to its type receives it, if it has a scope for it. */
  readonly raise: (
    session: Session<Name>,
    event: RaisedEvent,
    apps: readonly EventApp[],
  ) => Promise<Omit<ServiceEvent, "change">>;
  /** The table of webhooks. Undefined: the service has none. */
  readonly webhooks?: {
    readonly table: Name;
    /** Matches the name of a call, as its account has it, that adds or enables one. */
    readonly addedBy: RegExp;
    readonly read: (row: EventRow) => Webhook;
    /** The first rows, up to `limit`. */
    readonly list: (session: Session<Name>, limit: number) => Promise<readonly EventRow[]>;
  };
  readonly schedule: Schedule;
  /** Undefined: the service sends requests only. */
  readonly socket?: SocketMode;
  readonly request: RequestMode;
};
