/** An environment of each service, and commands that `diorama intercept` redirects to them. */
import { afterAll, beforeAll } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useDatabase } from "./database";
import { useProgram } from "./program";
import { JOHN } from "./tracker";

const ROOT = join(import.meta.dir, "../..");

export function useIntercept() {
  const program = useProgram(useDatabase());
  const place = {
    program,
    folder: "",
    /** Options that redirect each service to an environment. */
    to: [] as string[],
    chatUrl: "",
    chatToken: "",

    async intercept(options: readonly string[], command: readonly string[], env = {}) {
      const { DATABASE_URL: _, ...rest } = process.env;
      const child = Bun.spawn(["bun", "src/main.ts", "intercept", ...options, "--", ...command], {
        cwd: ROOT,
        env: { ...rest, TMPDIR: place.folder, ...env },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      return { code: await child.exited, out: out.trim(), err };
    },

    /** The newest text of #random. */
    async lastMessage(): Promise<string> {
      const answer = await fetch(`${place.chatUrl}/conversations.history?channel=C02RANDOM`, {
        headers: { Authorization: `Bearer ${place.chatToken}` },
      });
      const { messages } = (await answer.json()) as { messages: { text: string }[] };
      return messages[0]?.text ?? "";
    },
  };
  beforeAll(async () => {
    place.folder = await mkdtemp(join(tmpdir(), "diorama-"));
    for (const [service, impersonateUserId] of [
      ["chat", "U01AGENTONE"],
      ["tracker", JOHN],
      ["mail", "agent@acme.test"],
    ] as const) {
      const environment = await program.environment({
        templateService: service,
        templateName: `${service}_default`,
        impersonateUserId,
        clock: "real", // the tests name moments of their own time
      });
      const url = `${program.url}${environment.environmentUrl}`;
      place.to.push("--service-url", url, "--token", environment.token);
      if (service === "chat") [place.chatUrl, place.chatToken] = [url, environment.token];
    }
  });
  afterAll(() => rm(place.folder, { recursive: true, force: true }));
  return place;
}
