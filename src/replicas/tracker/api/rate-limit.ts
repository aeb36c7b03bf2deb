/** The rate limits for clients. Nothing is counted. */
import type { Resolvers } from "~/graphql/resolvers";
import type { Context } from "~/replicas/tracker/context";
import { POINTS_PER_HOUR, REQUESTS_PER_HOUR, resetAt } from "~/replicas/tracker/rate-limit";

const HOUR_MS = 60 * 60 * 1000;

export const rateLimits: Resolvers<Context> = {
  Query: {
    rateLimitStatus: (_source, _args, { viewer, now }) => {
      const limit = (type: string, allowedAmount: number) => ({
        type,
        allowedAmount,
        remainingAmount: allowedAmount - 1,
        requestedAmount: 1,
        period: HOUR_MS,
        reset: resetAt(now),
      });
      return {
        identifier: viewer.id,
        kind: "user",
        limits: [limit("requests", REQUESTS_PER_HOUR), limit("complexity", POINTS_PER_HOUR)],
      };
    },
  },
};
