/** An event that a run touched, with the guests who changed; or a calendar with its rules. */
import { Marked, PlaceFrame, type PlaceProps, SHOWN_MAX } from "~/console/parts/place";
import { Long } from "~/console/parts/text";
import { type Row, textOf } from "~/console/rows";

const DRAWN = ["events", "event_attendees", "acl"];

export function CalendarPlace(place: PlaceProps) {
  const { rows, latest, id } = place;
  const event = rows.find(({ table }) => table === "events")?.row;
  const title = textOf(event?.["summary"]) || (event && "(no title)");
  const names = new Map([...place.names, ...(title ? [[id, title] as const] : [])]);
  const changed = (table: string) =>
    rows.filter((each) => each.table === table && each.changedBy !== undefined).slice(-SHOWN_MAX);
  return (
    <PlaceFrame of={{ ...place, names }} drawn={DRAWN}>
      {changed("events").map((event) => (
        <Marked key={textOf(event.row["id"])} of={event} latest={latest}>
          <Event row={event.row} />
        </Marked>
      ))}
      {changed("event_attendees").map((guest) => (
        <Marked key={`${guest.row["eventId"]} ${guest.row["email"]}`} of={guest} latest={latest}>
          <bdi>{textOf(guest.row["displayName"]) || textOf(guest.row["email"])}</bdi>{" "}
          <span class="quiet">{textOf(guest.row["responseStatus"])}</span>
          {textOf(guest.row["comment"]) && <div>{textOf(guest.row["comment"])}</div>}
        </Marked>
      ))}
      {changed("acl").map((rule) => (
        <Marked key={textOf(rule.row["id"])} of={rule} latest={latest}>
          <span class="quiet">shared with</span>{" "}
          <bdi>{textOf(rule.row["scopeValue"]) || "everyone"}</bdi> as{" "}
          {rule.row["deleted"] === true ? "nobody" : textOf(rule.row["role"])}
        </Marked>
      ))}
    </PlaceFrame>
  );
}

function Event({ row }: { row: Row }) {
  const { start, end, recurrence, status } = row;
  return (
    <>
      <strong class={status === "cancelled" ? "struck" : ""}>
        <Long text={textOf(row["summary"]) || "(no title)"} max={200} />
      </strong>{" "}
      {status === "cancelled" && <span class="quiet">cancelled</span>}
      <div class="quiet">
        {timeText(start)} – {timeText(end)} {zoneOf(start)}
      </div>
      {textOf(row["location"]) && <div>{textOf(row["location"])}</div>}
      {Array.isArray(recurrence) && <div class="quiet">{recurrence.join(" ")}</div>}
    </>
  );
}

const fieldOf = (time: unknown, name: string): string =>
  typeof time === "object" && time !== null ? textOf((time as Row)[name]) : "";

const timeText = (time: unknown) =>
  fieldOf(time, "date") || fieldOf(time, "dateTime").slice(0, 16).replace("T", " ");

const zoneOf = (time: unknown) => fieldOf(time, "timeZone");
