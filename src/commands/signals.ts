/** The signals that stop a command. */
import { constants } from "node:os";

export const exitCodeOf = (signal: NodeJS.Signals) => 128 + constants.signals[signal];

/** A terminal sends Ctrl-C to every program of its job; a parent process may forward it a second time. */
const ECHO_MS = 500;

/** Calls `first` on the first signal to stop, and ends the process on another one. */
export function onSignal(first: (signal: NodeJS.Signals) => void): void {
  let found: { signal: NodeJS.Signals; at: number } | undefined;
  const handle = (signal: NodeJS.Signals) => {
    const at = performance.now();
    if (!found) {
      found = { signal, at };
      first(signal);
    } else if (signal !== "SIGINT" || found.signal !== "SIGINT" || at - found.at > ECHO_MS)
      process.exit(1);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, handle);
}

export function interruption(): AbortSignal {
  const controller = new AbortController();
  onSignal(() => controller.abort());
  return controller.signal;
}
