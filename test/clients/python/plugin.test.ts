/** The pytest plugin: runs `plugin_cases.py`, of which some tests fail, and looks at the report and the environments. */
import { afterEach, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually, useDatabase } from "../../support/database";
import { run } from "../../support/packages";
import { useProgram } from "../../support/program";
import { useVenv } from "../../support/venv";

const MINUTES = 3 * 60_000;
const ROOT = join(import.meta.dir, "../../..");

const database = useDatabase();
const program = useProgram(database, { ENVIRONMENT_POOL_TARGETS: "chat_default:4" });
const venv = useVenv("pytest==9.2.0", "pytest-xdist==3.8.0", "slack_sdk==3.47.0");
let cases = "";

beforeAll(async () => {
  cases = join(venv.folder, "test_cases.py");
  await Bun.write(cases, Bun.file(join(import.meta.dir, "plugin_cases.py")));
}, MINUTES);

function start(options: readonly string[], env: Record<string, string | undefined> = {}) {
  const command = [venv.python, "-m", "pytest", "--color=no", "-p", "no:cacheprovider"];
  return Bun.spawn([...command, cases, ...options], {
    cwd: venv.folder,
    env: { ...process.env, DIORAMA_URL: program.url, COLUMNS: "200", ...env },
    stdout: "pipe",
    stderr: "inherit",
    detached: true,
  });
}

async function pytest(...args: Parameters<typeof start>): Promise<{ code: number; out: string }> {
  const child = start(...args);
  const out = await new Response(child.stdout).text();
  return { code: await child.exited, out };
}

const hasRun = ({ run }: { run: object | null }) => run !== null;
const active = async () => (await program.get("/environments?status=active")).body.environments;

afterEach(async () => {
  expect(await active()).toEqual([]);
});

/** The part of the report between the title of a test and the next one. */
function reportOf(out: string, name: string): string {
  const [, report = ""] = out.split(new RegExp(`^_+ (?:ERROR at setup of )?${name} _+$`, "m"));
  return report.split(/^(?:_{3,} .* _{3,}|={3,} .* ={3,})$/m)[0] ?? "";
}

test.each([[[]], [["-n", "3"]]])(
  "passing, failing and erroring tests, with %j",
  async (options) => {
    const { code, out } = await pytest(options);

    expect(out).toMatch(/8 failed, 4 passed, 3 skipped, \d warnings?, 4 errors in /);
    expect(code).toBe(1);

    const hi = reportOf(out, "test_fails\\[Hi\\]");
    expect(hi).toContain('missing in inserts: {"__table__": "messages", "text": "Hello"}');
    const [, page = "", runId = ""] =
      /- Diorama run -+\n(http.*\/console\/runs\/([0-9a-f]{32}))$/m.exec(hi) ?? [];
    expect(page).toStartWith(program.url);
    expect((await program.get(`/results/${runId}`)).body.labels).toEqual({
      test: "test_cases.py::test_fails[Hi]",
    });
    const judged = reportOf(out, "test_fails_its_expectation");
    expect(judged).toContain("1. Exactly one new message that says “Bye”: none found\n");
    expect(judged).toContain("nearest: message in #general: “Hello” (call 1)\n");
    expect(hi).toMatch(
      /- Diorama diff -+\n\+ messages \{"channel_id": "C01GENERAL", .*"text": "Hi"/,
    );
    expect(hi).toMatch(/- Diorama calls -+\n1\. chat\.postMessage \{.*"text": "Hi".*\} → 200\n/);

    const world = reportOf(out, "test_fails_in_a_world");
    expect(world).toContain('missing in inserts: {"__table__": "chat_messages", "text": "Other"}');
    expect(world).toMatch(/\+ chat_messages \{.*"text": "Filed"/);
    expect(world).toMatch(/\+ tracker_issues \{.*"title": "Crash"/);
    expect(world).toMatch(/1\. chat\.postMessage .*\n2\. issueCreate /);

    const running = reportOf(out, "test_fails_before_the_run_has_ended");
    expect(running.match(/^\+ messages/gm)).toHaveLength(12);
    expect(running).toContain("… 2 calls before\n3. chat.postMessage");

    const raised = reportOf(out, "test_raises");
    expect(raised).toMatch(/- Diorama diff -+\nnothing changed\n/);
    expect(raised).toContain('"channel": "nowhere", "text": "Hello"} → channel_not_found');
    expect(out).not.toMatch(/diorama\/\w+(\/\w+)?\.py:\d+/); // no frame of the client's own

    expect(reportOf(out, "test_has_lost_its_environment")).toContain("ValueError: lost");
    expect(reportOf(out, "test_errors")).toContain("template_not_found");
    const misspelled = reportOf(out, "test_has_a_misspelled_marker");
    expect(misspelled).toMatch(
      /^E +\S*UsageError: @pytest\.mark\.diorama: got an unexpected keyword argument 'user'; it takes template, as_, test_id, /m,
    );
    expect(reportOf(out, "test_has_a_misspelled_name")).toContain(
      "instead of @pytest.mark.dioarma, mark the test with @pytest.mark.diorama",
    );
    const unreachable = reportOf(out, "test_reaches_no_server");
    expect(unreachable).toContain("Nothing answers at http://127.0.0.1:9");
    expect(unreachable).not.toContain("site-packages");
    expect(reportOf(out, "test_is_not_marked")).toContain(
      "mark the test with @pytest.mark.diorama",
    );
  },
  MINUTES,
);

test("a session that uses no environment does not load the client", async () => {
  const code = `import sys, pytest
pytest.main(["--markers"])
print(sorted({"httpx", "pydantic"} & set(sys.modules)))`;
  const out = await run([venv.python, "-c", code], { cwd: venv.folder });

  expect(out).toContain("@pytest.mark.diorama(");
  expect(out.split("\n").at(-1)).toBe("[]");
});

test(
  "a worker that dies leaves no environment",
  async () => {
    const { out } = await pytest(["-n", "2", "-k", "dies or passes"], { DIE: "1" });

    expect(out).toMatch(/1 failed, 1 passed/);
    expect(out).toContain("crashed while running");
  },
  MINUTES,
);

test.each([[[]], [["-n", "2"]]])(
  "Ctrl-C leaves no environment, with %j",
  async (options) => {
    const child = start([...options, "-k", "hangs"], { HANG: "1" });
    const count = options.length > 0 ? 2 : 1;
    // A process that is interrupted before it knows the id of its environment leaves that until it expires.
    await eventually(
      async () => expect((await active()).map(hasRun)).toEqual(Array(count).fill(true)),
      60,
    );

    // As a terminal does: every process of the group gets it.
    process.kill(-child.pid, "SIGINT");
    const out = await new Response(child.stdout).text();

    expect(await child.exited).toBe(2);
    expect(out).toContain("KeyboardInterrupt");
  },
  MINUTES,
);

test(
  "the plugin starts a server and stops it",
  async () => {
    const command = `bun ${join(ROOT, "src/main.ts")}`;
    const { out } = await pytest(["-n", "2", "-k", "passes", "--diorama-local", command], {
      DIORAMA_URL: "http://127.0.0.1:9",
      DATABASE_URL: database.url,
      SHUTDOWN_DELAY: "0",
    });

    expect(out).toContain("1 passed");
  },
  MINUTES,
);
