/** The type of a tool, and the ways in which it rejects a call. */
import type { Context } from "~/replicas/tracker/context";

// GraphQL has typed the data of a document, and the schema of a tool its arguments; each tool declares what it reads.
// biome-ignore lint/suspicious/noExplicitAny: resolvers are typed so too.
export type Node = any;

/** The means of one call: the caller's context, and the operations of the service in it. */
export type Work = {
  readonly context: Context;
  /** The data of a GraphQL document. Throws Rejected. */
  readonly ask: (document: string, variables?: object) => Promise<Node>;
  /** The message of a rejection, after which the call goes on without the effects of `work`. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<string | undefined>;
};

/** Performs a call. Its result becomes the text of the answer. */
export type Tool = (args: Node, work: Work) => Promise<unknown>;
export type Tools = { readonly [name: string]: Tool };

/** An answer that is not JSON, or that has images beside its text. */
export class Content {
  readonly text: string;
  readonly images: readonly Image[];
  constructor(text: string, images: readonly Image[] = []) {
    this.text = text;
    this.images = images;
  }
}
export type Image = { readonly data: string; readonly mimeType: string };

type Origin = { readonly upstream?: boolean; readonly isHeldUp?: boolean };

/** A call without side effects. `upstream`: the service rejects it, not the tool. */
export class Rejected extends Error {
  override readonly name = "Rejected";
  readonly upstream: boolean;
  /** A concurrent change blocked this one: the call can be repeated. */
  readonly isHeldUp: boolean;
  constructor(message: string, { upstream = false, isHeldUp = false }: Origin = {}) {
    super(message);
    this.upstream = upstream;
    this.isHeldUp = isHeldUp;
  }
}

export const notThere = (entity: string) =>
  new Rejected(`Could not find referenced ${entity}.`, { upstream: true });
export const invalid = (problem: string) =>
  new Rejected(`Argument Validation Error - ${problem}.`, { upstream: true });
export const DONE = { success: true };
