/** A mailbox that a run touched: its messages that changed, as a list shows them. */
import { Avatar } from "~/console/parts/avatar";
import { Moment } from "~/console/parts/clock";
import { Marked, PlaceFrame, type PlaceProps, SHOWN_MAX } from "~/console/parts/place";
import { Long } from "~/console/parts/text";
import { type Row, textOf } from "~/console/rows";
import { correspondent, type Label } from "~/console/services/mail/data";
import { LabelChips } from "~/console/services/mail/labels";

const DRAWN = ["messages", "drafts", "history", "mailboxes"];
/** Columns of a mailbox that every call changes, and those that name it. */
const NO_SETTINGS = ["emailAddress", "id", "name", "historyId", "labelSequence"];

export function MailboxPlace(place: PlaceProps) {
  const { rows, latest } = place;
  const changed = (table: string) =>
    rows.filter((each) => each.table === table && each.changedBy !== undefined);
  const messages = changed("messages")
    .toSorted((a, b) => dateOf(a.row) - dateOf(b.row))
    .slice(-SHOWN_MAX);
  const labels = rows.flatMap(({ table, row }): Label[] =>
    table === "labels" ? [{ id: textOf(row["id"]), name: textOf(row["name"]), type: "user" }] : [],
  );
  return (
    <PlaceFrame of={place} drawn={DRAWN}>
      {messages.map((message) => (
        <Marked key={textOf(message.row["id"])} of={message} latest={latest}>
          <Message row={message.row} labels={labels} />
        </Marked>
      ))}
      {changed("mailboxes").map((mailbox) => {
        const settings = Object.keys(mailbox.row).filter((name) => !NO_SETTINGS.includes(name));
        return (
          settings.length > 0 && (
            <Marked key="settings" of={mailbox} latest={latest}>
              <span class="quiet">settings:</span> {settings.join(", ")}
            </Marked>
          )
        );
      })}
    </PlaceFrame>
  );
}

const dateOf = (row: Row) => Number(row["internalDate"] ?? 0);

function Message({ row, labels }: { row: Row; labels: readonly Label[] }) {
  const from = correspondent(textOf(row["from"]) || "A message");
  const ids = Array.isArray(row["labelIds"]) ? row["labelIds"].map(String) : [];
  return (
    <>
      <Avatar id={from.address} name={from.name} />{" "}
      <strong>
        <bdi>{from.name}</bdi>
      </strong>{" "}
      <span class="quiet">
        to <bdi>{textOf(row["to"]) || "nobody"}</bdi>{" "}
        {row["internalDate"] !== undefined && <Moment at={dateOf(row)} />}
      </span>
      <div>
        <Long text={textOf(row["subject"]) || "(no subject)"} max={200} />
      </div>
      <div class="words quiet">
        <Long text={textOf(row["body"]) || textOf(row["snippet"])} max={600} />
      </div>
      <div class="labels">
        <LabelChips ids={ids} labels={labels} />
      </div>
    </>
  );
}
