/** A message as it is sent: its header fields, whose bytes stay as they are, and its body. */

/** `text`: the whole field, folded lines and all, without the last line break. One character a byte. */
type Field = { readonly name: string; readonly text: string };

export type RawMail = { readonly fields: readonly Field[]; readonly body: Buffer };

/** With the line breaks of mail, and without the fields that cannot be read. */
export function splitRaw(bytes: Uint8Array): RawMail {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = canonical(whole.toString("latin1"));
  const end = text.startsWith("\r\n") ? 0 : text.indexOf("\r\n\r\n");
  const head = end < 0 ? text : text.slice(0, end);
  const body = end < 0 ? "" : text.slice(text.startsWith("\r\n") ? 2 : end + 4);
  const fields = head.split(/\r\n(?![ \t])/).flatMap((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(colon, 0)).trimEnd();
    return /^[!-9;-~]+$/.test(name) ? [{ name, text: line }] : [];
  });
  return { fields, body: Buffer.from(body, "latin1") };
}

const canonical = (text: string) =>
  /(?<!\r)\n|\r(?!\n)/.test(text) ? text.replace(/\r\n|\r|\n/g, "\r\n") : text;

export const joinRaw = ({ fields, body }: RawMail): Buffer =>
  Buffer.concat([
    Buffer.from(`${fields.map(({ text }) => `${text}\r\n`).join("")}\r\n`, "latin1"),
    body,
  ]);

/** A field of ASCII text. */
export const field = (name: string, value: string): Field => ({ name, text: `${name}: ${value}` });

/** The field for a message that came by a call at this time. */
export const receivedAt = (millis: number): Field =>
  field("Received", `by gmailapi.google.com with HTTPREST; ${mailDate(millis)}`);

const isNamed = (name: string, names: readonly string[]) => names.includes(name.toLowerCase());

/** `names`: in lower case. */
export const withoutFields = (mail: RawMail, names: readonly string[]): RawMail => ({
  ...mail,
  fields: mail.fields.filter(({ name }) => !isNamed(name, names)),
});

/** In front of all others, as servers on the way add theirs. */
export const withFirst = (mail: RawMail, ...fields: readonly Field[]): RawMail => ({
  ...mail,
  fields: [...fields, ...mail.fields],
});

/** Replaces the fields of these names. */
export const withFields = (mail: RawMail, ...fields: readonly Field[]): RawMail => {
  const kept = withoutFields(
    mail,
    fields.map(({ name }) => name.toLowerCase()),
  );
  return { ...kept, fields: [...kept.fields, ...fields] };
};

export const hasField = ({ fields }: RawMail, name: string): boolean =>
  fields.some((one) => one.name.toLowerCase() === name);

/** The date of mail: `Mon, 05 Jan 2026 12:00:00 +0000`. */
export const mailDate = (millis: number): string =>
  new Date(millis).toUTCString().replace("GMT", "+0000");
