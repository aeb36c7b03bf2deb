/** The shape of seeds. */
import { type Static, Type } from "@sinclair/typebox";
import { HEADING } from "~/replicas/kit/seed-shape";

const closed = { additionalProperties: false };
const optional = Type.Optional;
const Name = Type.String({ minLength: 1 });
const Email = Type.String({
  pattern: '^[^\\s@<>",;:]+@[^\\s@<>",;:]+$',
  expected: "a mail address",
});
const Moment = Type.String({
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$",
  expected: "a moment in UTC: 2026-01-05T09:00:00Z",
});
/** A user by the part of the address before the @, or any address: `John Doe <john@acme.test>`. */
const Person = Name;

const Attachment = Type.Object(
  {
    filename: Name,
    mimeType: optional(Name),
    text: optional(Type.String()),
    base64: optional(Type.String()),
    inline: optional(Type.Boolean()),
  },
  closed,
);

const SeedMessage = Type.Object(
  {
    key: optional(Name),
    at: Moment,
    from: Person,
    to: optional(Type.Array(Person)),
    cc: optional(Type.Array(Person)),
    bcc: optional(Type.Array(Person)),
    subject: Type.String(),
    body: optional(Type.String()),
    html: optional(Type.String()),
    replyTo: optional(Name),
    attachments: optional(Type.Array(Attachment)),
    headers: optional(Type.Record(Type.String(), Type.String())),
    draft: optional(Type.Boolean()),
    labels: optional(Type.Record(Type.String(), Type.Array(Name))),
  },
  closed,
);

const Filter = Type.Object(
  {
    user: Person,
    criteria: Type.Object({}, { additionalProperties: true }),
    addLabels: optional(Type.Array(Name)),
    removeLabels: optional(Type.Array(Name)),
    forward: optional(Email),
  },
  closed,
);

export const MailSeed = Type.Object({
  ...HEADING,
  users: Type.Array(
    Type.Object(
      {
        name: Name,
        email: Email,
        signature: optional(Type.String()),
        vacation: optional(Type.Object({}, { additionalProperties: true })),
        forwardingAddresses: optional(Type.Array(Email)),
      },
      closed,
    ),
    { minItems: 1 },
  ),
  groups: optional(
    Type.Array(Type.Object({ name: Name, email: Email, members: Type.Array(Person) }, closed)),
  ),
  bouncing: optional(Type.Array(Email)),
  labels: optional(
    Type.Array(
      Type.Object(
        {
          user: Person,
          name: Name,
          color: optional(Type.Object({ textColor: Name, backgroundColor: Name }, closed)),
        },
        closed,
      ),
    ),
  ),
  filters: optional(Type.Array(Filter)),
  messages: optional(Type.Array(SeedMessage)),
});

export type MailSeed = Static<typeof MailSeed>;
export type SeedMessage = Static<typeof SeedMessage>;
export type SeedUser = MailSeed["users"][number];

export type SeedNames = {
  readonly users: readonly SeedUser[];
  readonly addressOf: (name: string, path: string) => string;
  readonly labelOf: (mailbox: string, name: string, path: string) => string;
};
