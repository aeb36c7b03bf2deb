/** A trainer's checkpoints with the Python client: runs `checkpoint_cases.py` with pytest, and the page of the guide. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { useDatabase } from "../../support/database";
import { run } from "../../support/packages";
import { useProgram } from "../../support/program";
import { useVenv } from "../../support/venv";

const MINUTES = 5 * 60_000;

const program = useProgram(useDatabase(), { ENVIRONMENT_POOL_TARGETS: "chat_default:4" });
const venv = useVenv("pytest==9.2.0", "slack_sdk==3.47.0");

test(
  "every case of checkpoints passes",
  async () => {
    const cases = join(import.meta.dir, "checkpoint_cases.py");
    const ran = await venv.runCases(cases, { DIORAMA_URL: program.url });

    expect(ran).toEqual({
      code: 0,
      report: expect.stringMatching(/\n\d\d passed in /),
    });
  },
  MINUTES,
);

test(
  "the page's two processes continue one rollout",
  async () => {
    const page = await Bun.file(join(import.meta.dir, "../../../src/docs/checkpoints.md")).text();
    const [first = "", next = ""] = [...page.matchAll(/```python\n([\s\S]*?)```/g)].map(
      ([, code = ""]) => code,
    );
    const options = { cwd: venv.folder, env: { ...process.env, DIORAMA_URL: program.url } };
    const list = `
answer = session.environment.slack().conversations_history(channel="C01GENERAL", limit=2)
print([message["text"] for message in answer["messages"]])
`;

    expect(await run([venv.python, "-c", first], options)).toBe("['rollout-1'] {}");
    const retiring = next.lastIndexOf("\nparticipant.retire");
    const code = next.slice(0, retiring) + list + next.slice(retiring);
    expect(await run([venv.python, "-c", code], options)).toBe("['Two', 'One']");
  },
  MINUTES,
);
