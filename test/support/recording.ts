/** Solutions of the tests of suites, as `seeds/solutions` has them. */

/**
 * The events of a run as a solution keeps them: of which call, and without the names of the platform. Those of others
 * follow from the agent's call before them.
 */
export function eventsOf(events: readonly any[], envId: string) {
  const own = events.filter(({ actor }) => actor === undefined);
  const calls = [...new Set(own.map(({ request }) => request))];
  let call = 0;
  const kept = events.map(({ request, transaction: _, ...event }) => {
    if (event.actor === undefined) call = calls.indexOf(request) + 1;
    return { call, ...event };
  });
  return JSON.parse(JSON.stringify(kept).replaceAll(envId, "<environment>"));
}

/** The events of a run as assertions count them, without their payloads and times. */
export const deliveriesOf = (events: readonly any[]) =>
  events.flatMap(({ n, service, type, cause, deliveries, missed }) => {
    const head = { n, service, type, cause: cause?.by ?? null, ackMs: null, payload: null };
    return [
      ...deliveries.map(({ app, state, attempts }: any) => ({
        ...{ ...head, app, state, attempts: attempts.length },
        reason: attempts.at(-1)?.failed ?? null,
      })),
      ...missed.map(({ app, reason }: any) => ({
        ...{ ...head, app, state: "missed", attempts: 0, reason },
      })),
    ];
  });
