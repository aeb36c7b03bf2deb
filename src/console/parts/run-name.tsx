/** Names of a run and of what it belongs to, as links; and its bookmark. */
import type { ListedRun } from "~/clients/typescript/schema";
import { useAction } from "~/console/loading";
import { Icon } from "~/console/parts/icons";
import { pathTo } from "~/console/place";

type Named = Pick<ListedRun, "runId" | "testName" | "templateName">;

/** A run is called after its test. */
export const titleOfRun = ({ testName, templateName }: Omit<Named, "runId">) =>
  testName ?? `Run of ${templateName}`;

export function RunName({ of }: { of: Named }) {
  return (
    <a class="name" href={pathTo("runs", of.runId)}>
      <bdi>{titleOfRun(of)}</bdi>
    </a>
  );
}

/** The suite of a run; nothing without one. */
export function SuiteOf({ run }: { run: Pick<ListedRun, "suiteId" | "testSuiteName"> }) {
  if (!run.suiteId || !run.testSuiteName) return null;
  return (
    <a class="plain" href={pathTo("suites", run.suiteId)}>
      <bdi>{run.testSuiteName}</bdi>
    </a>
  );
}

/** A button that sets and removes the bookmark. */
export function Bookmark({
  isOn,
  set,
}: {
  isOn: boolean;
  set: (bookmarked: boolean) => Promise<void>;
}) {
  const { error, isBusy, perform } = useAction();
  const text = isOn ? "Remove the bookmark" : "Bookmark this run";
  return (
    <button
      type="button"
      class={`icon-only bookmark ${isOn ? "on" : ""}`}
      aria-pressed={isOn}
      aria-label="Bookmark"
      title={error === undefined ? text : "It could not be saved. Try again."}
      disabled={isBusy}
      onClick={() => perform(() => set(!isOn))}
    >
      <Icon name="bookmark" />
    </button>
  );
}
