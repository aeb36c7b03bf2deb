/** The attempts beside a run; what comes before and after a run or a test. */
import type { RunSiblings } from "~/clients/typescript/schema";
import { Icon } from "~/console/parts/icons";
import { useShortcuts } from "~/console/parts/keyboard";
import { Square } from "~/console/parts/square";
import { go, pathTo } from "~/console/place";

export function Attempts({ of: { runId, attempts, previous, next } }: { of: RunSiblings }) {
  const at = attempts.findIndex((run) => run.runId === runId);
  const to = (id: string | null) => (id === null ? undefined : pathTo("runs", id));
  if (attempts.length < 2 && !previous && !next) return null;
  return (
    <nav class="attempts" aria-label="Other runs">
      {attempts.length > 1 && (
        <>
          <span class="quiet">
            attempt {at + 1} of {attempts.length}
          </span>
          <span class="cell">
            {attempts.map((run, index) => (
              <Square key={run.runId} of={run} n={index + 1} isHere={index === at} />
            ))}
          </span>
        </>
      )}
      <Neighbours kind="run" previous={to(previous)} next={to(next)} />
    </nav>
  );
}

/** Links to the ones before and after, by `[` and `]` too. `kind`: their noun. */
export function Neighbours({
  kind,
  previous,
  next,
}: {
  kind: string;
  previous: string | undefined;
  next: string | undefined;
}) {
  const to = (address: string | undefined) => () => address && go(address);
  useShortcuts(
    [
      { keys: "[", does: `Go to the ${kind} before`, perform: to(previous) },
      { keys: "]", does: `Go to the ${kind} after`, perform: to(next) },
    ],
    [previous, next],
  );
  return (
    <span class="cell">
      <Step to={previous} name={`Previous ${kind}`} icon="left" />
      <Step to={next} name={`Next ${kind}`} icon="right" />
    </span>
  );
}

function Step({
  to,
  name,
  icon,
}: {
  to: string | undefined;
  name: string;
  icon: "left" | "right";
}) {
  if (!to) return null;
  return (
    <a class="step" href={to} aria-label={name} title={name}>
      <Icon name={icon} />
    </a>
  );
}
