/**
 * The official conformance suite of the Model Context Protocol against an environment's tools. Its scenarios call the
 * tools, prompts and resources of a reference server, so most of them cannot pass here: those are in the baseline, and
 * one that begins to pass fails this test too.
 */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useDatabase } from "../support/database";
import { endpointOf } from "../support/mcp";
import { useProgram } from "../support/program";

const database = useDatabase();
const program = useProgram(database);

const ROOT = join(import.meta.dir, "../..");
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const BASELINE = join(import.meta.dir, "conformance.yaml");

test("the scenarios pass that need no tools of their own", async () => {
  const { url } = endpointOf(program, await program.environment());
  const folder = await mkdtemp(join(tmpdir(), "diorama-conformance-"));
  const suite = Bun.spawn(
    [process.execPath, SUITE, "server", "--url", url, "--expected-failures", BASELINE],
    { cwd: folder, stdout: "pipe", stderr: "pipe" },
  );
  const [output, errors] = await Promise.all([
    new Response(suite.stdout).text(),
    new Response(suite.stderr).text(),
  ]);
  const exitCode = await suite.exited;
  await rm(folder, { recursive: true });

  expect({ exitCode, report: exitCode === 0 ? "" : output + errors }).toEqual({
    exitCode: 0,
    report: "",
  });
});
