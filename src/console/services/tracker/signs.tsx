/** Signs of the tracker: states and labels in the colours that the data has, priorities as bars. */
import { Avatar } from "~/console/parts/avatar";
import { type Issue, type Person, PRIORITIES, type State } from "~/console/services/tracker/data";

const HEX = /^#[0-9a-f]{3,8}$/i;

/** A colour of the data, beside its name; grey if it is none. */
function Dot({ color }: { color: string }) {
  return <span class="dot" aria-hidden="true" style={HEX.test(color) ? { "--own": color } : {}} />;
}

export function StateName({ of: { name, color } }: { of: Pick<State, "name" | "color"> }) {
  return (
    <>
      <Dot color={color} /> {name}
    </>
  );
}

export function LabelChips({ of }: { of: Issue["labels"]["nodes"] }) {
  return (
    <>
      {of.map(({ id, name, color }) => (
        <span key={id} class="chip">
          <Dot color={color} />
          <bdi>{name}</bdi>
        </span>
      ))}
    </>
  );
}

const URGENT = 1;
const BARS = [1, 2, 3];

/** Three bars, as many of them full as the priority is high; urgent is a square of its own. */
export function Priority({ of }: { of: number }) {
  const name = PRIORITIES[of] ?? `Priority ${of}`;
  const full = of === 0 ? 0 : 5 - of;
  return (
    <span class={`priority ${of === URGENT ? "urgent" : ""}`} title={name}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        {of === URGENT ? (
          <>
            <rect x="1.5" y="1.5" width="13" height="13" rx="3" fill="currentColor" stroke="none" />
            <path d="M8 4.5v4M8 11.2v.3" stroke="var(--surface)" />
          </>
        ) : (
          BARS.map((bar) => (
            <rect
              key={bar}
              x={4 * bar - 2}
              y={12 - 3 * bar}
              width="3"
              height={3 * bar + 1}
              rx="1"
              fill="currentColor"
              stroke="none"
              opacity={bar <= full ? 1 : 0.3}
            />
          ))
        )}
      </svg>
      <span class="hidden">{name}</span>
    </span>
  );
}

/** Name and picture of a person. */
export function PersonName({ of }: { of: Person }) {
  return (
    <>
      <Avatar id={of.id} name={of.name} /> <bdi>{of.name}</bdi>
    </>
  );
}
