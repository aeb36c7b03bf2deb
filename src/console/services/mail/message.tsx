/** A message of a mailbox, with its text and files. */
import type { Cause, Mark } from "~/console/marks";
import { Avatar } from "~/console/parts/avatar";
import { Moment } from "~/console/parts/clock";
import { Icon } from "~/console/parts/icons";
import { MarkNote } from "~/console/parts/mark-note";
import { Long } from "~/console/parts/text";
import {
  contentOf,
  correspondent,
  filesOf,
  headerOf,
  type Label,
  type MailMessage,
} from "~/console/services/mail/data";
import { HtmlFrame } from "~/console/services/mail/html-frame";
import { LabelChips } from "~/console/services/mail/labels";

const KIB = 1024;
const TEXT_MAX = 20_000;
const ADDRESSES = ["To", "Cc", "Bcc"];

export function Message({
  of,
  labels,
  mark,
  cause,
}: {
  of: MailMessage;
  labels: readonly Label[];
  mark: Mark;
  cause: Cause | undefined;
}) {
  const { name, address } = correspondent(headerOf(of, "from"));
  const { html, text } = contentOf(of);
  const files = filesOf(of);
  return (
    <article class={`mail-message ${mark ? "tinted" : ""}`}>
      <header>
        <Avatar id={address} name={name} isLarge />
        <div>
          <strong>
            <bdi>{name}</bdi>
          </strong>{" "}
          {name.toLowerCase() !== address && <span class="quiet">{address}</span>}
          {ADDRESSES.map((field) => {
            const value = headerOf(of, field.toLowerCase());
            return (
              value && (
                <div key={field} class="quiet">
                  {field}: <Long text={value} max={300} />
                </div>
              )
            );
          })}
        </div>
        <span class="mail-time">
          <MarkNote mark={mark} cause={cause} /> <Moment at={Number(of.internalDate)} />
        </span>
      </header>
      <div class="labels">
        <LabelChips ids={of.labelIds ?? []} labels={labels} />
      </div>
      {html === undefined ? (
        <div class="words">
          <Long text={text} max={TEXT_MAX} />
        </div>
      ) : (
        <HtmlFrame html={html} title={`Message of ${name}`} />
      )}
      {files.map(({ partId, filename, mimeType, body }) => (
        <div key={partId} class="file">
          <Icon name="paperclip" />
          <bdi>{filename}</bdi>
          <span class="quiet">
            {mimeType}, {Math.ceil(body.size / KIB).toLocaleString("en")} KiB
          </span>
        </div>
      ))}
    </article>
  );
}
