/** The holder of a key, as opposed to the user that an agent acts as. */
export type Principal = {
  readonly userId: string;
  readonly keyId: string;
  readonly plan: "free" | "pro" | "enterprise";
};
