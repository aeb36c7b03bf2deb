/** `diorama runs`: runs of a server. */
import { type Client, UsageError } from "~/commands/client";
import { SAVED } from "~/console/assets";
import type { Ask } from "~/console/rows";
import { readRun } from "~/console/run-data";
import { savedPage } from "~/console/saved";
import { notice } from "~/log";

const PLATFORM = "/api/platform";

/** Writes a run to one HTML file that needs no server. */
export async function exportRun(client: Client, runId: string, file: string): Promise<void> {
  const ask = (async (path: string, body?: object) =>
    body
      ? await client.view(path, body)
      : await client.call("GET", path.slice(PLATFORM.length))) as Ask;
  const data = await readRun(ask, runId);
  const page = savedPage(await client.text(SAVED), data);
  await Bun.write(file, page).catch(() => {
    throw new UsageError(`${file} cannot be written`);
  });
  notice(
    `${file} holds the run, with ${data.calls.length} calls and ${data.events.length} changes`,
  );
}
