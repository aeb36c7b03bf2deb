/**
 * The contract of a simulated service. Another service is a folder beside `chat` with the same files, a seed, and a
 * line in `index.ts`; the platform depends on nothing else.
 */

import type { TObject, TSchema } from "@sinclair/typebox";
import type { Tx } from "~/db/connect";
import type { Session, Tables } from "~/db/session";
import type { NotAuthed } from "~/errors";
import type { Aliases } from "~/input/aliases";
import type { OutgoingMail } from "~/outgoing";
import type { About } from "~/replicas/about";
import type { Acting } from "~/replicas/acting";
import type { Acts, AnsweredEvent } from "~/replicas/acts";
import type { Caller } from "~/replicas/caller";
import type { DeliveryFailure, Events } from "~/replicas/events";
import type { Problem, Selection } from "~/replicas/faults";
import type { RowWords } from "~/replicas/row-words";
import type { ToolProfile } from "~/replicas/tools";
import type { Uploads } from "~/replicas/uploads";
import type { Source } from "~/source";
import type { HttpAnswer, HttpRequest } from "~/wire/message";

/** A user that an agent can act as. */
export type Person = { readonly id: string; readonly name: string; readonly email: string | null };

/** A person with a mail address, as a directory of several services has them. */
export type DirectoryEntry = {
  readonly email: string;
  /** The full name. */
  readonly name: string;
  /** The time zone; null if the service does not know it. */
  readonly zone: string | null;
  readonly isActive: boolean;
};

/** `Name`: of its tables, for the replica's own code. The platform, which knows none of them, leaves it out. */
export type Replica<Name extends string = string> = {
  /** The value of `service` on the wire. */
  readonly service: string;
  readonly about: About;
  /**
   * The DDL of one environment, with bare table names. Its order is the order in which diffs list tables. Every
   * table has a primary key, a column `id`, or no column that may be null; there are no enum, domain or composite types,
   * no views, triggers or functions.
   */
  readonly tables: string;
  /** Columns that the service computes. They appear in diffs; strict assertions ignore them. */
  readonly derived: { readonly [table: string]: readonly string[] };
  /**
   * By table: a column that is true of rows that follow from a call by themselves, such as the copy of a mail in the
   * mailbox of its recipient, until a call changes them. It is a derived column. A closed world expects such new rows.
   */
  readonly derivedRows?: { readonly [table: string]: string };
  /**
   * Turns the parsed content of a seed file into rows. Throws SeedError with the paths of mistakes. The result is
   * deterministic: the same seed gives the same rows, with no random values and no current time. Returns notes on
   * changed or ignored content.
   */
  readonly seed: (tx: Tx, t: Tables<Name>, seed: unknown) => Promise<readonly string[]>;
  /** Earlier ids of the environment's rows, if it has any: those of its template, which calls do not change. */
  readonly aliases?: (session: Session<Name>) => Promise<Aliases>;
  /** Names of its tables in specs that were written for another implementation, which has columns in snake_case. */
  readonly tableAliases?: { readonly [name: string]: string };
  /** Finds the id of a user of the environment, by id, also an earlier one, or by email; undefined when there is none. */
  readonly findUser: (
    session: Session<Name>,
    by: { readonly id: string } | { readonly email: string },
  ) => Promise<string | undefined>;
  /** Lists users of the environment, by id. */
  readonly listPeople: (session: Session<Name>, limit: number) => Promise<readonly Person[]>;
  /** Lists everyone with a mail address, active or not, by id. */
  readonly listDirectory: (session: Session<Name>) => Promise<readonly DirectoryEntry[]>;
  /** A credential that a client of this service sends outside the headers. `beginning`: the beginning of the body. */
  readonly credential?: (
    call: Pick<ReplicaCall, "request"> & { readonly beginning: () => Promise<Uint8Array> },
  ) => Promise<string | undefined>;
  /** True of a text in the form of the service's own tokens. */
  readonly isToken?: (text: string) => boolean;
  /** True of a path that contains a secret: it is served without a credential. */
  readonly carriesSecret?: (path: string) => boolean;
  /**
   * True if such a path has the right secret and takes a body. Otherwise `handle` gets an empty body. `secret`: see
   * Caller.
   */
  readonly awaits?: (session: Session<Name>, path: string, secret: Uint8Array) => Promise<boolean>;
  /**
   * Creates the payload that a user's click sends to an app, if this service has such a thing. `secret`: see
   * Caller.
   */
  readonly issueTrigger?: (
    secret: Uint8Array,
    user: string,
    expiresAt: Date,
    source: Source,
  ) => string;
  /**
   * Returns the path of a secret address at which an app posts to a channel. Throws ApiError for a channel that does not
   * exist. `secret`: see Caller.
   */
  readonly issueWebhook?: (
    session: Session<Name>,
    secret: Uint8Array,
    hook: { readonly app: string; readonly channel: string },
  ) => Promise<string>;
  /**
   * Takes a mail that another service of the environment sends, in the transaction of the call that sends it. A throw
   * rolls that call back: an unknown address is no error.
   */
  readonly deliver?: (session: Session<Name>, mail: OutgoingMail) => Promise<void>;
  /** The effects of time on the tables, if it has any. */
  readonly schedule?: Schedule<Name>;
  /**
   * Finds a sign that an app is at work although it calls nothing, such as a stream that is open; undefined: there is
   * none. `now`: the time of the environment, in milliseconds.
   */
  readonly busySign?: (session: Session<Name>, now: number) => Promise<string | undefined>;
  /** The events that its apps receive, if it has any. */
  readonly events?: Events<Name>;
  /** Acts of people that only its apps learn of, if it has such. */
  readonly acts?: Acts<Name>;
  /** Answers that everyone gets, without a credential or an environment; undefined for any other path. */
  readonly documents?: Documents;
  /** Requests that carry several calls, if the service takes such requests. */
  readonly batches?: Batches;
  /** Calls whose bodies arrive in several requests, if it has such calls. */
  readonly uploads?: Uploads;
  /** The response to a call without a valid credential; undefined: the platform's own. */
  readonly denial?: (reason: NotAuthed["reason"]) => HttpAnswer | undefined;
  /** Handles a call. A throw is a bug and has been rolled back; rejections are responses in the service's format. */
  readonly handle: (call: ReplicaCall<Name>) => Promise<HttpAnswer>;
  /** How simulated colleagues call it; undefined: through its tools only. */
  readonly acting?: Acting;
  /** How it calls its rows in sentences. */
  readonly words?: RowWords;
  /** How faults select calls of this service, and how it reports them. */
  readonly faults: FaultWords;
  /** The calls of this service, for the OpenAPI document. */
  readonly operations: () => readonly ServiceOperation[];
  /** The tool surfaces of this service, by name. `vendor` is the default: the service's own. */
  readonly toolProfiles?: {
    readonly vendor: ToolProfile<Name>;
    readonly [name: string]: ToolProfile<Name>;
  };
};

/**
 * Forgets the names of a replica's tables, here and nowhere else: the platform opens every session with all tables of the
 * DDL, so it has each of these.
 */
export const createReplica = <Name extends string>(replica: Replica<Name>): Replica =>
  replica as Replica;

/** `path`: of the service. `rootUrl`: the address that it follows, with a trailing slash. */
export type Documents = (call: {
  readonly request: HttpRequest;
  readonly path: string;
  readonly rootUrl: string;
}) => HttpAnswer | undefined;

/** The calls of a batch, as the server makes them. */
export type BatchCalls = {
  /** Answers one call. A rejection is an answer, so that it does not concern the other calls. */
  readonly perform: (request: HttpRequest, body: Uint8Array) => Promise<HttpAnswer>;
  /** Whether the server can hold so many bytes of answers of this batch. */
  readonly hasRoom: (bytes: number) => boolean;
};

export type Batches = {
  /** Of the service: `batch`. */
  readonly paths: readonly string[];
  /** Answers the calls of a request. */
  readonly run: (request: HttpRequest, body: Uint8Array, calls: BatchCalls) => Promise<HttpAnswer>;
};

/** The effects of time on the tables of an environment, apart from those that a call finds when it reads. */
export type Schedule<Name extends string = string> = {
  /**
   * Returns the next moment at which something is due, in milliseconds: later than `after`, or still pending from
   * before; not later than `until`. Undefined: nothing is.
   */
  readonly next: (
    session: Session<Name>,
    after: number,
    until: number,
  ) => Promise<number | undefined>;
  /** Does what is due at the session's time, and reports it. The session is a transaction. */
  readonly fire: (session: Session<Name>) => Promise<readonly DueEffect[]>;
};

/** Something that was due: one of the effects that the service lists, and the id of the row that it is about. */
export type DueEffect<Kind extends string = string> = { readonly kind: Kind; readonly id: string };

/** The same kind of effect on several rows. */
export const effects = <Kind extends string>(
  kind: Kind,
  ids: readonly string[],
): DueEffect<Kind>[] => ids.map((id) => ({ kind, id }));

/** One call as the OpenAPI document shows it. */
export type ServiceOperation = {
  /** As the journal names its calls: `messages.send`. A GraphQL request has no such name. */
  readonly name?: string;
  /** Of a service: what follows the prefix of the environment. */
  readonly path: string;
  readonly method: string;
  /** The name of the call in generated clients: `chatPostMessage`. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string | undefined;
  /** The parameters of the path: `messages/{id}`. */
  readonly params?: TObject | undefined;
  readonly query?: TObject | undefined;
  /** The shape of the body in each media type. */
  readonly body?: { readonly [type: string]: TSchema } | undefined;
  readonly answers: { readonly [status: string]: TSchema };
};

/** One call to an environment, after authentication. */
export type ReplicaCall<Name extends string = string> = Caller<Name> & {
  readonly request: HttpRequest;
  /** The path after `/services/<service>/`: `chat.postMessage`, `graphql`, or empty. */
  readonly path: string;
  readonly body: Uint8Array;
  /** The content of `Authorization`, if it was not the credential: a user's token of the service. */
  readonly userToken: string | undefined;
  /** There was no credential, which only a development server allows. A token that names no user is then wrong. */
  readonly isAnonymous: boolean;
  /** The caller may act as a user other than `actor`. Otherwise such a call is rejected. */
  readonly mayImpersonate: boolean;
  readonly account: CallAccount;
  /** Whether an app receives the environment's events. */
  readonly hasApp: (app: string) => Promise<boolean>;
  /** The user that an app of the environment acts as; undefined: it has no such app. */
  readonly userOfApp: (app: string) => Promise<string | undefined>;
  /** Counts a use of the address with which an app answers an event. Undefined: there is no such event, or app. */
  readonly answerEvent: (number: number) => Promise<AnsweredEvent | undefined>;
  /** The last failures of webhooks of the environment, the newest first, by webhook. */
  readonly failuresOf: (
    webhooks: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly DeliveryFailure[]>>;
};

/** A call before it has a session. */
export type UnleasedCall = Omit<ReplicaCall, "session">;

/** How faults select calls of a service, and how it reports them. */
export type FaultWords = {
  /** The field of a fault that names calls of the service's own API. */
  readonly selector: Exclude<Selection["by"], "tool">;
  readonly names: () => Iterable<string>;
  /** The service tells the limit of a person from the limit of the whole client. */
  readonly hasUserLimit?: boolean;
  /** Reads a call, as far as its account shows it. Undefined for one that no fault applies to, such as an upload. */
  readonly select: (call: UnleasedCall) => Promise<Selection | undefined>;
  /** The response that reports a problem. */
  readonly answer: (problem: Problem) => {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** The service's name of the problem, for the journal. */
    readonly error: string;
  };
};

/** A call as the journal of a run shows it. Filled in while the call is read and answered. */
export type CallAccount = {
  via: "rest" | "graphql" | "mcp";
  /** The method, the operations of a document, or the tool. */
  name: string;
  /** As the caller gave them. */
  arguments: ReadonlyMap<string, unknown> | object;
  /** Why the call was rejected, in the service's words. */
  error: string | null;
  /** The body of the answer, if it is JSON text. */
  answer: string | undefined;
  /** The fault that was injected into the call. */
  fault: string | undefined;
  /** The user that the call acts as, if the events of the service name it. */
  user: string | undefined;
};

/** `name`: until more is known of the call. */
export const newAccount = (name: string): CallAccount => ({
  via: "rest",
  name,
  arguments: {},
  error: null,
  answer: undefined,
  fault: undefined,
  user: undefined,
});

/** Rejects a call that names a user it may not act as, whether or not that user exists. */
export const OWN_USER_ONLY =
  "An environment's token acts as the environment's own user; another one takes an API key, or allowImpersonation at initEnv.";
