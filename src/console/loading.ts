/** Data of a page, and the work that its buttons start. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

type State<T> = {
  /** Undefined until the first answer. Kept during a reload. */
  readonly data: T | undefined;
  readonly error: unknown;
};
/** `reload` during a load makes it load once more afterwards: frequent reloads cannot keep a slow load from its end. */
export type Loaded<T> = State<T> & { readonly reload: () => void };

/** Loads when the component is first shown and when one of `inputs` changes; the earlier data remain until then. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, error: undefined });
  const [turn, setTurn] = useState(0);
  const phase = useRef<"idle" | "loading" | "stale">("idle");
  useEffect(() => {
    const control = new AbortController();
    phase.current = "loading";
    const settle = (next: (before: State<T>) => State<T>) => {
      if (control.signal.aborted) return;
      setState(next);
      if (phase.current === "stale") setTurn((number) => number + 1);
      phase.current = "idle";
    };
    load(control.signal).then(
      (data) => settle(() => ({ data, error: undefined })),
      (error: unknown) => settle(({ data }) => ({ data, error })),
    );
    return () => control.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => {
    if (phase.current === "idle") setTurn((number) => number + 1);
    else phase.current = "stale";
  }, []);
  return { ...state, reload };
}

/** Work that a button starts: `perform` never throws. */
export function useAction() {
  const [state, setState] = useState<{ error: unknown; isBusy: boolean }>({
    error: undefined,
    isBusy: false,
  });
  const perform = async (work: () => Promise<void>) => {
    setState({ error: undefined, isBusy: true });
    try {
      await work();
      setState({ error: undefined, isBusy: false });
    } catch (error) {
      setState({ error, isBusy: false });
    }
  };
  return { ...state, perform };
}
