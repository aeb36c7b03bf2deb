/** Data of a page: loaded when it opens, and again on request. */
import { useCallback, useEffect, useState } from "preact/hooks";

export type Loaded<T> = {
  /** Undefined until the first answer. Kept while it is loaded again. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** Loads again when one of `inputs` changes: until then, the earlier data remain. */
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
