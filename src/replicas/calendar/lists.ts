/** Pages of lists that are read as a whole. */
import { listEtagOf, pageTokenOf, readPageToken, syncTokenOf } from "~/replicas/calendar/tokens";

type Listed = {
  readonly list: string;
  readonly kind: string;
  /** The number of the last change of the list. */
  readonly version: number;
  readonly pageToken: string | undefined;
  readonly size: number;
};

/** One page of `items`, with the token of the next one or of later changes. */
export function pageOf<Item>(
  items: readonly Item[],
  { list, kind, version, pageToken, size }: Listed,
  view: (item: Item) => object,
) {
  const { at: from = 0, version: known = version } = readPageToken(pageToken, list) ?? {};
  const end = from + size;
  return {
    ...{ kind, etag: listEtagOf(version) },
    ...(end < items.length
      ? { nextPageToken: pageTokenOf({ list, version: known, at: end, id: "" }) }
      : { nextSyncToken: syncTokenOf(list, known) }),
    items: items.slice(from, end).map(view),
  };
}

/** `maxResults` of a query, which larger ones than the service has do not exceed. */
export const sizeOf = (wanted: number | undefined, usual: number, max: number): number =>
  Math.min(Math.max(wanted ?? usual, 1), max);
