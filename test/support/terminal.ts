/** Runs programs like a user: in a terminal, with a keyboard. */
import { eventually } from "./database";

export type Settings = { readonly [name: string]: string | undefined };

/** Starts a program, which ends with its test. */
export function inTerminal(command: readonly string[], cwd: string, settings: Settings = {}) {
  let screen = "";
  const decoder = new TextDecoder();
  const { DATABASE_URL: _, NO_COLOR: __, CI: ___, ...inherited } = process.env;
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...inherited, TERM: "xterm-256color", ...settings },
    terminal: {
      cols: 200,
      rows: 50,
      data(_, bytes) {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return {
    pid: child.pid,
    exited: child.exited,
    /** The complete output, with colors. */
    screen: () => screen,
    /** Waits for `text` in the output. */
    shows: (text: string, seconds?: number) =>
      eventually(() => {
        if (screen.includes(text)) return;
        throw new Error(`not shown: ${text}; exit code ${child.exitCode}\n${screen}`);
      }, seconds),
    /** Types text or keys, such as "\r" for Enter. */
    type: (keys: string) => child.terminal?.write(keys),
    /** Presses Ctrl-C, and returns the seconds until the program ends. */
    async interrupt(): Promise<number> {
      const started = performance.now();
      child.terminal?.write("\u0003");
      await child.exited;
      return (performance.now() - started) / 1000;
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
