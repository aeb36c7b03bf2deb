/** Events, and who received them. */
import type { Delivery, EnvironmentEvent } from "~/clients/typescript/schema";
import { Badge } from "~/console/parts/basics";
import { duration } from "~/console/parts/clock";
import { counted, Folded } from "~/console/parts/text";

/** Of one line. */
const SHOWN_MAX = 12;
const IN_SHORT_MAX = 3;
const KINDS: Readonly<Record<string, string>> = { delivered: "good", failed: "bad" };

/** The events that a call caused. `isOpen`: with their payloads. */
export function Sent({ of, isOpen }: { of: readonly EnvironmentEvent[]; isOpen: boolean }) {
  if (of.length === 0) return null;
  const max = isOpen ? SHOWN_MAX : IN_SHORT_MAX;
  return (
    <ul class="sent" aria-label="Events">
      {of.slice(0, max).map((event) => (
        <li key={event.n}>
          <span class="quiet number">event {event.n}</span> <strong>{event.type}</strong>
          {event.deliveries.map((delivery) => (
            <Received key={delivery.app} of={delivery} />
          ))}
          {event.deliveries.length === 0 && event.missed.length === 0 && (
            <span class="quiet">no app receives it</span>
          )}
          {event.missed.map(({ app, reason }) => (
            <span key={app} class="quiet">
              not to {app}: {reason}
            </span>
          ))}
          {isOpen && <Folded summary="Payload" of={event.payload} />}
        </li>
      ))}
      {of.length > max && <li class="quiet">and {counted(of.length - max, "more event")}</li>}
    </ul>
  );
}

function Received({ of: { app, state, attempts } }: { of: Delivery }) {
  const last = attempts.at(-1);
  return (
    <span>
      <Badge kind={KINDS[state] ?? "plain"}>{state}</Badge> to {app}
      {typeof last?.ms === "number" && <span class="quiet number"> {duration(last.ms)}</span>}
      {attempts.length > 1 && <span class="quiet"> after {attempts.length} attempts</span>}
      {last?.failed && <span class="quiet"> {last.failed}</span>}
    </span>
  );
}
