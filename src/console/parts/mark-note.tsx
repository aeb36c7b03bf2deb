/** The note beside something that differs from the template. */
import type { Cause, Mark } from "~/console/marks";
import { pathTo } from "~/console/place";

export const titleOf = ({ n, runId, name }: Cause) => `call ${n} of run ${runId}: ${name}`;

/** The kind of the change and the call that made it; nothing for what did not change. */
export function MarkNote({ mark, cause }: { mark: Mark; cause: Cause | undefined }) {
  if (!mark) return null;
  return (
    <span class="by">
      {mark}
      {cause && (
        <>
          {" by "}
          <a href={pathTo("runs", cause.runId)} title={titleOf(cause)}>
            call {cause.n}
          </a>
        </>
      )}
    </span>
  );
}
