/** Counts the messages of a stream, and reports them as metrics from time to time. */
import type { Message } from "~/capture/change";
import type { Counted, StreamEvent } from "~/capture/stream-events";

export function createTally(emit: (event: StreamEvent) => void) {
  /** Since the last report. */
  const kinds = new Map<Message["kind"], number>();
  let skipped = 0;
  const count = (what: Counted, by: number, label?: string) =>
    emit({ type: "count", what, by, ...(label !== undefined && { label }) });
  return {
    count,

    /** A message was read; without `kind`, it concerns no run. */
    add(kind: Message["kind"] | undefined): void {
      if (kind) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      else skipped++;
    },

    report(): void {
      for (const [kind, number] of kinds) count("messages", number, kind);
      if (skipped > 0) count("skipped", skipped);
      kinds.clear();
      skipped = 0;
    },
  };
}
