/** Lists which parts of the service are simulated, from the definitions: for the reference and its tests. */
import { METHODS } from "~/replicas/chat/api/index";
import type { Tier } from "~/replicas/chat/method";
import { REFUSED } from "~/replicas/chat/unsupported-methods";

export type Coverage = {
  readonly method: string;
  /** Null for a rejected method. */
  readonly tier: Tier | null;
  readonly summary: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
  /** `full`: behaves as the service; `limited`: `limits` describes the difference; `refused`: answers `error`. */
  readonly state: "full" | "limited" | "refused";
  readonly limits?: string;
  /** Bots cannot call it. */
  readonly userOnly: boolean;
  /** Takes the tokens of apps only. */
  readonly appOnly: boolean;
  readonly error?: string;
};

/** Every method by name; rejected ones last. */
export const coverage = (): Coverage[] => [
  ...[...METHODS.values()]
    .map(
      ({ name, tier, summary, args, limits, userOnly, appOnly }): Coverage => ({
        method: name,
        tier,
        summary,
        arguments: Object.keys(args.properties).map((argument) => ({
          name: argument,
          required: args.required?.includes(argument) ?? false,
        })),
        userOnly,
        appOnly,
        state: limits === undefined ? "full" : "limited",
        ...(limits === undefined ? {} : { limits }),
      }),
    )
    .sort((a, b) => (a.method < b.method ? -1 : 1)),
  ...[...REFUSED].map(
    ([method, error]): Coverage => ({
      method,
      tier: null,
      summary: "",
      arguments: [],
      userOnly: false,
      appOnly: false,
      state: "refused",
      error,
    }),
  ),
];
