/** `diorama init`: a folder with a suite, an agent and a workflow for CI to start from. */
import { basename, join } from "node:path";
import AGENT from "~/commands/init/agent.py" with { type: "text" };
import SUITE from "~/commands/init/suite.yaml" with { type: "text" };
import WORKFLOW from "~/commands/init/workflow.yaml" with { type: "text" };
import { writeFiles } from "~/commands/write-files";
import { notice } from "~/log";

/** `image`: the image of Diorama that CI takes the program from. */
export async function init(folder: string, { image }: { image: string }): Promise<void> {
  await writeFiles(folder, {
    "suite.yaml": String(SUITE),
    "agent.py": AGENT,
    ".github/workflows/agent.yaml": String(WORKFLOW).replace("IMAGE", () => image),
  });
  const [suite, agent] = ["suite.yaml", "agent.py"].map((name) => join(folder, name));
  notice(`
Next, with a running server:

  diorama suites import ${suite}
  diorama suites run "My agent" --command "python3 ${agent}"

Then put your own agent in the place of \`act\` in ${basename(agent ?? "")}.`);
}
