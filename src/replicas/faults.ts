/** Faults that the platform injects into calls, as a service reports them to its clients. */

export type Problem =
  | {
      readonly kind: "rate_limited";
      /** In seconds. */
      readonly retryAfter: number;
      /** The limit of the person is reached, in a service that tells it from the limit of the whole client. */
      readonly isPerUser?: boolean;
    }
  | { readonly kind: "server_error" | "token_expired" }
  /** Reported by a proxy in front of the service. */
  | { readonly kind: "unavailable"; readonly status: 503 | 504 };

/** Ends a selector that names all calls that begin so. */
export const WILDCARD = "*";

export const selects = (pattern: string, name: string) =>
  pattern.endsWith(WILDCARD) ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** How faults may select a call. */
export type Selection = {
  readonly by: "method" | "operation" | "tool";
  readonly names: readonly string[];
  /** It writes nothing. */
  readonly isReading: boolean;
};
