/** `diorama completion`, in the shells themselves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN } from "../support/commands";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "diorama-completion-"));
  await Bun.write(join(folder, "diorama"), `#!/bin/sh\nexec bun ${MAIN} "$@"\n`);
  await chmod(join(folder, "diorama"), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

async function shell(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, HOME: folder },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
  return out;
}

/** As the function of the package bash-completion does for a line without quotes. */
const WORDS = `_get_comp_words_by_ref() {
  words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword - 1]}
}`;
const inBash = (...words: string[]) =>
  shell(
    ...["bash", "-c"],
    `${WORDS}
source <(diorama completion bash)
COMP_WORDS=(diorama ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
compopt() { :; }
__diorama_complete
printf '%s\\n' "\${COMPREPLY[@]}"; complete -p diorama`,
  );

test("bash completes commands, options and their values", async () => {
  const commands = await inBash("env", "");
  expect(commands).toMatch(/^create/m);
  expect(commands).toMatch(/^delete/m);
  expect(commands).toContain("-F __diorama_complete diorama");
  expect(await inBash("runs", "list", "--st")).toMatch(/^--status/m);
  expect(await inBash("suites", "run", "--surface", "m")).toMatch(/^mcp/m);
});

test("fish completes commands, options and their values", async () => {
  const inFish = (words: string) =>
    shell("fish", "-c", `diorama completion fish | source; complete -C "diorama ${words}"`);

  expect(await inFish("env ")).toMatch(/^create\tCreate an environment/m);
  expect(await inFish("runs list --st")).toMatch(/^--status\t/m);
  expect(await inFish("setup c")).toMatch(/^codex/m);
});

test("zsh has a function for the program", async () => {
  const out = await shell(
    ...["zsh", "-f", "-c"],
    "autoload -Uz compinit && compinit -u; source <(diorama completion zsh); print $_comps[diorama]; functions _diorama",
  );

  expect(out).toMatch(/^_diorama\n/);
  expect(out).toContain("diorama complete --");
});
