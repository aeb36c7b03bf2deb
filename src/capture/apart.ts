/** Tells the agent's part of a change from that of the clock. */
import type { Image } from "~/capture/change";

type Row = Image | undefined;

/**
 * The agent's part of a row's change from `start` to `end`, of which the clock made the part from `before` to `after`. A
 * column that both changed counts for the one that changed it last.
 */
export function withoutClock(
  start: Row,
  end: Row,
  before: Row,
  after: Row,
): { readonly before: Row; readonly after: Row } {
  if (!before) return { before: start ?? after, after: end };
  if (!after) return { before: start, after: end ?? before };
  const [from, to] = [start && [...start], end && [...end]];
  for (const [place, text] of after.entries()) {
    if (text === before[place]) continue;
    if (from && from[place] === before[place] && (!to || to[place] === text)) from[place] = text;
    else if (to && to[place] === text) to[place] = before[place];
  }
  return { before: from, after: to };
}
