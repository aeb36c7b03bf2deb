import { Type } from "@sinclair/typebox";
import { COLORS } from "~/replicas/calendar/colors";
import { answersOf, operation, text } from "~/replicas/calendar/operation";

const Color = Type.Object(
  { background: text("In hexadecimal", "#ac725e"), foreground: text("Of texts", "#1d1d1d") },
  { description: "A colour" },
);

const Colors = Type.Object(
  {
    kind: text("Always the same", "calendar#colors"),
    updated: text("The last change", "2012-02-14T00:00:00.000Z"),
    calendar: Type.Record(Type.String(), Color, { description: "Of calendars, by id" }),
    event: Type.Record(Type.String(), Color, { description: "Of events, by id" }),
  },
  { title: "CalendarColors", description: "The colours of calendars and events" },
);

export const colors = [
  operation("colors.get", "GET", "colors", {
    summary: "Show the colours",
    description: "Those of calendars and those of events.",
    answers: answersOf(Colors),
    handle: async () => COLORS,
  }),
];
