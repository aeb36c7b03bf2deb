/** Pages that follow what happens on the server. */
import { useEffect, useRef } from "preact/hooks";

const POLL_MS = 1_000;

/** Calls `reload` every second while the page is shown, so that a page in the background costs nothing. */
export function useLive(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const look = () => {
      if (!document.hidden) latest.current();
    };
    const timer = setInterval(look, POLL_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
}
