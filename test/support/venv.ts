/** An empty virtual environment of Python with our client, installed from its wheel without a registry. */
import { afterAll, beforeAll } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPython } from "../../scripts/clients/wheel";
import { PYTHON_CACHE, pythonWheels, uv } from "./packages";

const REQUIRED = ["httpx==0.28.1", "pydantic==2.14.3"];
const MINUTES = 5 * 60_000;

/** `packages` are installed too: `pytest==9.2.0`. */
export function useVenv(...packages: readonly string[]) {
  const venv = {
    folder: "",
    wheel: "",
    python: "",
    bin: (name: string) => join(venv.folder, "venv/bin", name),
    /** Runs the cases of a file with pytest, and returns its exit code and report. */
    async runCases(file: string, env: Record<string, string>) {
      const child = Bun.spawn(
        [
          ...[venv.python, "-W", "error::ResourceWarning", "-m", "pytest", "-q", "--color=no"],
          ...["-p", "no:cacheprovider", file],
        ],
        {
          cwd: venv.folder,
          env: { ...process.env, ...env },
          stdout: "pipe",
          stderr: "inherit",
        },
      );
      const report = await new Response(child.stdout).text();
      return { code: await child.exited, report };
    },
  };
  beforeAll(async () => {
    venv.folder = await mkdtemp(join(tmpdir(), "diorama-venv-"));
    venv.wheel = await buildPython(join(venv.folder, "clients"));
    venv.python = venv.bin("python");
    const wheels = await pythonWheels(...REQUIRED, ...packages);
    await uv("venv", "--seed", "--python", "python3", join(venv.folder, "venv"));
    await uv(
      ...["pip", "install", "--python", venv.python, "--no-index", "--find-links", wheels],
      ...[venv.wheel, ...packages],
    );
  }, MINUTES);
  afterAll(async () => {
    for (const folder of [venv.folder, join(PYTHON_CACHE, venv.folder)])
      await rm(folder, { recursive: true, force: true });
  });
  return venv;
}
