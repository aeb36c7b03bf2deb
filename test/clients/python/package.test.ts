/** The wheel: the same bytes at each build, installed into an empty virtual environment, and checked strictly. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../../package.json";
import { synchronousFiles } from "../../../scripts/clients/synchronous";
import { buildPython } from "../../../scripts/clients/wheel";
import { useDatabase } from "../../support/database";
import { nodePackages, run } from "../../support/packages";
import { useProgram } from "../../support/program";
import { useVenv } from "../../support/venv";

const MINUTES = 5 * 60_000;
const PYTHON = join(import.meta.dir, "../../../src/clients/python");

const program = useProgram(useDatabase());
const bare = useVenv();
const partial = useVenv("slack_sdk==3.47.0");
const full = useVenv("slack_sdk==3.47.0", "aiohttp==3.14.5", "pytest==9.2.0");

/** Strictly, with the packages of a virtual environment. Fails with the findings. */
async function check(python: string, path: string): Promise<string> {
  const pyright = join(await nodePackages("pyright@1.1.414"), "node_modules/.bin/pyright");
  return await run([pyright, "--pythonpath", python, "--project", path]);
}

/** A project of a user with one file. */
async function project(folder: string, code: string, exceptions = {}): Promise<string> {
  await Bun.write(join(folder, "project/main.py"), code);
  const settings = { typeCheckingMode: "strict", include: ["main.py"], ...exceptions };
  await Bun.write(join(folder, "project/pyrightconfig.json"), JSON.stringify(settings));
  return join(folder, "project");
}

const examples = async () => {
  const readme = await Bun.file(join(PYTHON, "README.md")).text();
  return [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
};

test("two builds give the same bytes", async () => {
  const again = await buildPython(join(bare.folder, "again"));

  expect(await Bun.file(again).bytes()).toEqual(await Bun.file(bare.wheel).bytes());
});

test("the wheel has the version of the server", () => {
  expect(bare.wheel).toEndWith(`/diorama-${version}-py3-none-any.whl`);
});

test("the installed files are those of the wheel's list", async () => {
  const code = `
import base64, hashlib, importlib.metadata, pathlib
files = [f for f in importlib.metadata.files("diorama") if f.hash and "__pycache__" not in str(f)]
for f in files:
    digest = hashlib.sha256(pathlib.Path(f.locate()).read_bytes()).digest()
    if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != f.hash.value and "RECORD" not in str(f): print(f)
print(len(files) > 20)`;

  expect(await run([bare.python, "-c", code])).toBe("True");
});

test("its synchronous half is written from the other", async () => {
  for (const [name, text] of await synchronousFiles())
    expect(await Bun.file(join(PYTHON, "diorama/_sync", name)).text()).toBe(text);
});

test(
  "the sources pass a strict check",
  async () => {
    expect(await check(full.python, PYTHON)).toStartWith("0 errors, 0 warnings");
  },
  MINUTES,
);

test(
  "a program of a user passes a strict check without the optional packages",
  async () => {
    const path = await project(
      bare.folder,
      `import diorama
from diorama.testing import assert_diff

with diorama.env("chat_default", as_="U01AGENTONE", ttl_seconds=60) as env:
    with env.run(labels={"model": "mine"}) as run:
        pass
    assert_diff(run.diff)
    print([call.name for call in run.calls], env.mcp.url)

def agent(task: diorama.Task) -> None:
    print(task.prompt)

outcome = diorama.suite("Chat benchmark").run(agent, parallel=4, repeat=2)
print(outcome.passed, [attempt.status for attempt in outcome.attempts])

async def main() -> None:
    async with diorama.AsyncDiorama() as client, client.env("tracker_default") as env:
        async with env.run() as run:
            await env.linear().execute("{ viewer { id } }")
        print(run.diff.inserts)

diorama.env("chat_default", ttl=60)  # pyright: ignore[reportCallIssue]
`,
    );

    expect(await check(bare.python, path)).toStartWith("0 errors, 0 warnings");
  },
  MINUTES,
);

test(
  "the README's example passes a strict check and runs",
  async () => {
    const [first = ""] = await examples();
    // The types of slack_sdk itself are incomplete.
    const path = await project(full.folder, first, { reportUnknownMemberType: false });

    expect(await check(full.python, path)).toStartWith("0 errors, 0 warnings");
    const env = { ...process.env, DIORAMA_URL: program.url };
    const printed = await run([full.python, "-W", "error", "main.py"], { cwd: path, env });

    expect(printed).toContain("'__table__': 'messages'");
    expect(printed).toContain("'text': 'Hello'");
  },
  MINUTES,
);

test("an official client that is missing is named", async () => {
  const code = `import diorama
with diorama.env("chat_default", as_="U01AGENTONE") as env:
    try: env.slack()
    except ImportError as error: print(error)`;
  const env = { ...process.env, DIORAMA_URL: program.url };

  expect(await run([bare.python, "-c", code], { env })).toStartWith(
    'slack_sdk is not installed: pip install slack_sdk; the extra "slack" of diorama has it',
  );
});

test.each(["mail", "calendar"])(
  "Google's client for %s is named as the registry does",
  async (service) => {
    const code = `import diorama
with diorama.env("${service}_default", as_="agent@acme.test") as env:
    try: env.${service}()
    except ImportError as error: print(error)`;
    const env = { ...process.env, DIORAMA_URL: program.url };

    expect(await run([bare.python, "-c", code], { env })).toStartWith(
      `google-api-python-client is not installed: pip install google-api-python-client; the extra "${service}" of diorama has it`,
    );
  },
);

test("so is a package that it needs", async () => {
  const code = `import asyncio, diorama
async def main():
    async with diorama.AsyncDiorama() as client, client.env("chat_default", as_="U01AGENTONE") as env:
        try: env.slack()
        except ImportError as error: print(error)
asyncio.run(main())`;
  const env = { ...process.env, DIORAMA_URL: program.url };

  expect(await run([partial.python, "-c", code], { env })).toStartWith(
    'aiohttp is not installed: pip install aiohttp; the extra "slack-async" of diorama has it',
  );
});

test("its extras name the packages of the official client", async () => {
  const code = "import importlib.metadata; print(importlib.metadata.requires('diorama'))";
  const listed = await run([bare.python, "-c", code]);

  for (const [extra, name] of [
    ["calendar", "google-api-python-client"],
    ["mail", "google-api-python-client"],
    ["slack", "slack_sdk"],
    ["slack-async", "slack_sdk"],
    ["slack-async", "aiohttp"],
  ])
    expect(listed).toMatch(new RegExp(`'${name}>=[\\d.]+; extra == "${extra}"'`));
});
