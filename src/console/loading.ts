/** Data of a page, and the work that its buttons start. */
import { useCallback, useEffect, useState } from "preact/hooks";

export type Loaded<T> = {
  /** Undefined until the first answer. Kept during a reload. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** Loads when the component is first shown and when one of `inputs` changes; the earlier data remain until then. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setState(({ data, error }) => ({ data, error, isLoading: true }));
    load(control.signal).then(
      (data) => {
        if (!control.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!control.signal.aborted) setState(({ data }) => ({ data, error, isLoading: false }));
      },
    );
    return () => control.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((number) => number + 1), []);
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
