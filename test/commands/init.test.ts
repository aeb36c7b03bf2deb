/** `diorama init`: the folder that it writes works as it is. */
import { expect, test } from "bun:test";
import { useCommands } from "../support/commands";
import { useDatabase } from "../support/database";
import { useProgram } from "../support/program";

const program = useProgram(useDatabase());
const { run, path } = useCommands(program);

test("writes a suite and an agent that passes it, and replaces no file", async () => {
  const folder = path("mine");
  const { code, out, err } = await run(["init", folder, "--image", "example/diorama:$&"]);

  expect(code).toBe(0);
  const names = ["suite.yaml", "agent.py", ".github/workflows/agent.yaml"];
  expect(out.trim().split("\n")).toEqual(names.map((name) => `${folder}/${name}`));
  const commands = [...err.matchAll(/^ {2}diorama (.*)$/gm)].map(([, words = ""]) => words);
  expect(commands).toEqual([
    `suites import ${folder}/suite.yaml`,
    `suites run "My agent" --command "python3 ${folder}/agent.py"`,
  ]);
  await run(["suites", "import", `${folder}/suite.yaml`]);
  const played = await run([
    "suites",
    "run",
    "My agent",
    "--command",
    `python3 ${folder}/agent.py`,
  ]);
  expect(played.out).toContain("My agent: 2 of 2 passed\n");
  const idle = await run(["suites", "run", "My agent", "--command", "true"]);
  expect(idle.out).toContain("My agent: 0 of 2 passed, 2 failed\nmean reward 0.000,");

  await Bun.write(`${folder}/agent.py`, "mine");
  const again = await run(["init", folder]);
  expect(again.code).toBe(69);
  expect(again.err).toContain("exists already");
  expect(await Bun.file(`${folder}/agent.py`).text()).toBe("mine");
});

test("writes a workflow whose steps are the shell's, with the image and the files that are there", async () => {
  const folder = path("workflow");
  await run(["init", folder, "--image", "example/diorama:1"]);
  const text = await Bun.file(`${folder}/.github/workflows/agent.yaml`).text();
  const { jobs } = Bun.YAML.parse(text) as { jobs: { agent: { steps: { run?: string }[] } } };
  const steps = jobs.agent.steps.flatMap(({ run: script }) => script ?? []);

  expect(steps).toHaveLength(3);
  expect(text).toContain("docker create example/diorama:1)");
  expect(steps.at(-1)).toContain('suites run "My agent" --command "python3 agent.py"');
  for (const script of steps) expect(await Bun.spawn(["bash", "-n", "-c", script]).exited).toBe(0);
});
