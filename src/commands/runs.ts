/** `diorama runs export`: a run of a server, in a file. */
import { type Client, UsageError } from "~/commands/client";
import { consoleOf } from "~/commands/console";
import { atif } from "~/commands/records/atif";
import { inspect } from "~/commands/records/inspect";
import { jsonl } from "~/commands/records/lines";
import { type RunRecord, recordOf } from "~/commands/records/record";
import { SAVED } from "~/console/assets";
import type { Ask } from "~/console/rows";
import { readParts, readRun } from "~/console/run-data";
import { savedPage } from "~/console/saved";
import { notice, print } from "~/log";

const PLATFORM = "/api/platform";

/** Formats of records. The packages of OpenTelemetry are loaded only for their own. */
const RECORDS: { readonly [format: string]: (record: RunRecord) => string | Promise<string> } = {
  atif,
  otel: async (record) => (await import("~/commands/records/otel")).otel(record),
  inspect,
  jsonl,
};
export const RECORD_FORMATS = Object.keys(RECORDS);

export type RunExport = {
  readonly html?: string;
  readonly format?: string;
  readonly output?: string;
};

/** As a page that needs no server, or as a record for other tools. */
export async function exportRun(
  client: Client,
  runId: string,
  { html, format, output }: RunExport,
): Promise<void> {
  if ((html === undefined) === (format === undefined))
    throw new UsageError("one of --html and --format is needed");
  if (html !== undefined && output !== undefined)
    throw new UsageError("--output goes with --format; --html names its file itself");
  if (html !== undefined) return await exportPage(client, runId, html);
  const data = await readParts(asking(client), runId);
  const record = recordOf(data, consoleOf(client, "runs", runId));
  const text = await RECORDS[format ?? ""]?.(record);
  if (text === undefined) throw new UsageError(`there is no format ${format}`);
  if (output === undefined) print(text.trimEnd());
  else await write(output, text);
  if (!record.about.complete)
    notice("the record is not complete: the run goes on, or has too many calls or changes");
}

async function exportPage(client: Client, runId: string, file: string): Promise<void> {
  const data = await readRun(asking(client), runId);
  await write(file, savedPage(await client.text(SAVED), data));
  notice(
    `${file} holds the run, with ${data.calls.length} calls and ${data.events.length} changes`,
  );
}

const asking = (client: Client) =>
  (async (path: string, body?: object) =>
    body
      ? await client.view(path, body)
      : await client.call("GET", path.slice(PLATFORM.length))) as Ask;

async function write(file: string, text: string): Promise<void> {
  await Bun.write(file, text).catch(() => {
    throw new UsageError(`${file} cannot be written`);
  });
}
