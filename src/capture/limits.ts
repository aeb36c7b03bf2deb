/** How much of a run capture holds in memory, how much of it is stored, and what a run over a limit fails with. */
import type { Image } from "~/capture/change";

const MEGABYTE = 2 ** 20;

/** Changed rows of one run. */
export const RUN_ROWS_MAX = 200_000;
/** Changed rows of one run, before and after. A single change may not be longer either. */
export const RUN_BYTES_MAX = 32 * MEGABYTE;
/** Rows and events of all runs together. Over it the run that holds most gives up its events first, then fails. */
export const TOTAL_BYTES_MAX = 64 * MEGABYTE;
/** Later changes of a run are in its diff, and not among its events. */
export const EVENTS_MAX = 10_000;
export const EVENTS_BYTES_MAX = 8 * MEGABYTE;
/** Characters of JSON text in a stored diff, and in what a verdict needs beside it. Postgres takes 1 GB in a value. */
export const RESULT_LENGTH_MAX = 64 * MEGABYTE;
/** Characters of JSON text in a stored list of events. */
export const EVENTS_LENGTH_MAX = 32 * MEGABYTE;

/** A run cannot be answered for. The message is the reason that its failure gives. */
export class Lost extends Error {
  override readonly name = "Lost";
}

/** Of the log. */
export const UNDECODABLE = "undecodable transaction";
/** Of a table whose replica identity is not full. */
export const INCOMPLETE = "the old row of a change is not complete in the log";

const megabytes = (bytes: number) => `${bytes / MEGABYTE} MB`;

export const OVER_ROWS = `more than ${RUN_ROWS_MAX} changed rows`;
export const OVER_BYTES = `more than ${megabytes(RUN_BYTES_MAX)} of changed rows`;
export const OVER_TOTAL = `more than ${megabytes(TOTAL_BYTES_MAX)} of changed rows in all runs together`;

/** The reason of a run that `error` was caught for. */
export const reasonOf = (error: unknown, otherwise: string): string =>
  error instanceof Lost ? error.message : otherwise;

/** Of an array beside its places, of a place, and of a text beside its characters. */
const IMAGE_BYTES = 32;
const PLACE_BYTES = 8;
const TEXT_BYTES = 16;
/** Shorter rows are taken to be wide: looking would cost more than it saves. */
const SHORT_LENGTH = 4096;

/**
 * Memory that a row takes, apart from texts that it shares with `other`. A text with a character beyond Latin-1 takes
 * two bytes for each, and so do all that were parsed from the same line.
 */
export function bytesOf(image: Image, other?: Image): number {
  let length = 0;
  let bytes = IMAGE_BYTES + PLACE_BYTES * image.length;
  for (let place = 0; place < image.length; place++) {
    const text = image[place];
    if (!text || text === other?.[place]) continue;
    length += text.length;
    bytes += TEXT_BYTES;
  }
  const isWide = length < SHORT_LENGTH || image.some((text) => text && !isAscii(text));
  return bytes + (isWide ? 2 * length : length);
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/** Lists of values as the JSON text of one object, whose length is checked before there is too much of it. */
export function createLists<const Name extends string>(names: readonly Name[], what: string) {
  const parts = new Map<Name, string[]>(names.map((name) => [name, []]));
  let length = 0;
  const listOf = (list: string[]) => ({
    push(value: unknown): void {
      const text = JSON.stringify(value);
      length += text.length + 1;
      if (length > RESULT_LENGTH_MAX)
        throw new Lost(`${what} is larger than ${megabytes(RESULT_LENGTH_MAX)}`);
      list.push(text);
    },
  });
  return {
    lists: Object.fromEntries([...parts].map(([name, list]) => [name, listOf(list)])) as Record<
      Name,
      { push(value: unknown): void }
    >,

    get length() {
      return length;
    },

    text: (): string =>
      `{${[...parts].map(([name, list]) => `"${name}":[${list.join(",")}]`).join(",")}}`,
  };
}

export const diffLists = () => createLists(["inserts", "updates", "deletes"], "its diff");
export const evidenceLists = () =>
  createLists(["unchangedColumns", "revertedRows", "transientRows"], "what its verdict needs");
