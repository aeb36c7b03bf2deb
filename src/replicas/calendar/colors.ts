/** The colours of calendars and events. */
import colors from "~/replicas/calendar/colors.json";
import { invalid } from "~/replicas/calendar/errors";

type Color = { readonly background: string; readonly foreground: string };

export const COLORS: {
  readonly kind: string;
  readonly updated: string;
  readonly calendar: { readonly [id: string]: Color };
  readonly event: { readonly [id: string]: Color };
} = colors;

/** Throws for an id that is no colour. */
export function requireColor(kind: "calendar" | "event", id: string): Color {
  const found = Object.hasOwn(COLORS[kind], id) ? COLORS[kind][id] : undefined;
  if (!found) throw invalid("Invalid color id.");
  return found;
}

const channels = (color: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** The colour of a calendar that is nearest to a background. Throws for a text that is no colour. */
export function nearestColor(background: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(background)) throw invalid("Invalid color value.");
  const wanted = channels(background);
  const distance = ([, color]: readonly [string, Color]) =>
    channels(color.background).reduce((sum, each, at) => sum + (each - (wanted[at] ?? 0)) ** 2, 0);
  const [nearest] = Object.entries(COLORS.calendar).toSorted((a, b) => distance(a) - distance(b));
  return nearest?.[0] ?? "1";
}

/** The colours of new calendars, one after the other. */
export const colorAfter = (count: number): string =>
  `${(count % Object.keys(COLORS.calendar).length) + 1}`;
