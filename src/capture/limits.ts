/** Limits on how much of a run capture holds in memory, and how much of it is stored. */
import type { Image } from "~/capture/change";

const MEGABYTE = 2 ** 20;

/** Changed rows of one run. */
export const RUN_ROWS_MAX = 200_000;
/** Changed rows of one run, before and after. A single change may not exceed it either. */
export const RUN_BYTES_MAX = 32 * MEGABYTE;
/** Rows and events of all runs together. Above it, the largest run first drops its events, then fails. */
export const TOTAL_BYTES_MAX = 64 * MEGABYTE;
/** A run that holds more than this when all together hold too much has exceeded its share, however many there are. */
export const SHARE_BYTES_MAX = 8 * MEGABYTE;
/** Changes beyond this are in the run's diff but not among its events. */
export const EVENTS_MAX = 10_000;
export const EVENTS_BYTES_MAX = 8 * MEGABYTE;
/** Characters of JSON text in a stored diff, and in its evidence. Postgres allows 1 GB in a value. */
export const RESULT_LENGTH_MAX = 64 * MEGABYTE;
/** Characters of JSON text of evidence that no verdict waits for. */
export const KEPT_LENGTH_MAX = 16 * MEGABYTE;
/** Characters of JSON text in a stored list of events. */
export const EVENTS_LENGTH_MAX = 32 * MEGABYTE;
/** Characters of JSON text in the stored calls of a run that wrote; arguments beyond it are left out. */
export const CALLS_LENGTH_MAX = 8 * MEGABYTE;

export const megabytes = (bytes: number) => `${bytes / MEGABYTE} MB`;

/** Overhead of an array, of each element, and of each text. */
const IMAGE_BYTES = 32;
const PLACE_BYTES = 8;
const TEXT_BYTES = 16;
/** Shorter rows count as wide: checking costs more than it saves. */
const SHORT_LENGTH = 4096;

/**
 * Memory of a row, without texts that it shares with `other`. A text with a character beyond Latin-1 takes two bytes
 * for each character, and so do all texts parsed from the same line.
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
