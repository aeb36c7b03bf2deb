/** Messages from a service to people outside of it: other services of its environment may take them. */

/** One mail. Who takes it looks up the addresses, expands groups, and answers for those that it does not know. */
export type OutgoingMail = {
  readonly from: Correspondent;
  readonly to: readonly Correspondent[];
  readonly cc?: readonly Correspondent[];
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** A part of type `text/calendar`: an invitation, its end, or an answer to one. */
  readonly calendar?: {
    readonly method: "REQUEST" | "CANCEL" | "REPLY";
    readonly content: string;
  };
  /** Further headers, by name: `Auto-Submitted`, `In-Reply-To`. */
  readonly headers?: Readonly<Record<string, string>>;
};

type Correspondent = { readonly email: string; readonly name?: string };
