/** Calls whose bodies arrive in several requests. */
import type { HttpAnswer, HttpRequest } from "~/wire/message";

/** A request, with its path below the service and its body. */
export type Delivery = {
  readonly request: HttpRequest;
  readonly path: string;
  readonly body: Uint8Array;
};

/** A call whose body arrives in several requests. */
export type Upload = {
  /** The request that makes the call once its body is there. `path` has a query. */
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  /** JSON of the fields beside the file; empty: none. */
  readonly fields: string;
  /** Bytes of the file, as far as the client has said. */
  readonly announced: number | null;
};

export type UploadState = Upload & {
  readonly received: number;
  /** The body of the answer, after the call has been made. */
  readonly answer: string | null;
};

/** The uploads of one environment. */
export type UploadStore = {
  /** Returns the id of a new upload; undefined if the environment has as many as it may. */
  readonly begin: (upload: Upload) => Promise<string | undefined>;
  readonly find: (id: string) => Promise<UploadState | undefined>;
  /** Adds bytes after the first `from`. False if the upload is at another place, or the environment has too many bytes. */
  readonly append: (id: string, from: number, bytes: Uint8Array) => Promise<boolean>;
  /**
   * The first bytes, for one caller at a time, who then makes the call; undefined if there are not as many as `count`, or
   * someone else makes it.
   */
  readonly take: (id: string, count: number) => Promise<Uint8Array[] | undefined>;
  /** After `take`: the call failed in a way that the client may try again. */
  readonly giveBack: (id: string) => Promise<void>;
  /** After `take`: keeps the answer for a client that asks again, and drops the bytes. */
  readonly keep: (id: string, answer: string) => Promise<void>;
  readonly drop: (id: string) => Promise<void>;
};

export type Uploads = {
  /** True of a request of an upload in several requests. */
  readonly matches: (request: HttpRequest, path: string) => boolean;
  /** Answers such a request. `address`: of the request. `perform` makes the whole call. */
  readonly answer: (
    delivery: Delivery & { readonly address: string },
    store: UploadStore,
    perform: (whole: Delivery) => Promise<HttpAnswer>,
  ) => Promise<HttpAnswer>;
};
