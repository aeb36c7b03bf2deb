/** The attempts beside a run, and the runs before and after it. */
import type { RunSiblings } from "~/clients/typescript/schema";
import { Icon } from "~/console/parts/icons";
import { useShortcuts } from "~/console/parts/keyboard";
import { Square } from "~/console/parts/square";
import { go, pathTo } from "~/console/place";

export function Attempts({ of: { runId, attempts, previous, next } }: { of: RunSiblings }) {
  const at = attempts.findIndex((run) => run.runId === runId);
  const to = (id: string | null) => () => id && go(pathTo("runs", id));
  useShortcuts(
    [
      { keys: "[", does: "Go to the run before", perform: to(previous) },
      { keys: "]", does: "Go to the run after", perform: to(next) },
    ],
    [previous, next],
  );
  if (attempts.length < 2 && !previous && !next) return null;
  return (
    <nav class="attempts" aria-label="Other runs">
      <Step to={previous} name="Previous run" icon="left" />
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
      <Step to={next} name="Next run" icon="right" />
    </nav>
  );
}

function Step({ to, name, icon }: { to: string | null; name: string; icon: "left" | "right" }) {
  if (!to) return null;
  return (
    <a class="step" href={pathTo("runs", to)} aria-label={name} title={name}>
      <Icon name={icon} />
    </a>
  );
}
