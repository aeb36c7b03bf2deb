/** The frame of every page: navigation, and the form for the key. */
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isLocked } from "~/console/api";
import { KeyForm } from "~/console/key-form";
import { lazy } from "~/console/lazy";
import { Empty, Head } from "~/console/parts/basics";
import type { IconName } from "~/console/parts/icons";
import { Help } from "~/console/parts/keyboard";
import { Navigation } from "~/console/parts/navigation";
import { pathTo, place } from "~/console/place";

type Page = {
  readonly name: string;
  readonly icon: IconName;
  readonly list: ComponentType;
  /** Of one thing of the list. */
  readonly one?: ComponentType<{ id: string }>;
};

/** By the first part of the path. The script of a page is loaded when the page is first shown. */
const PAGES: Readonly<Record<string, Page>> = {
  "": {
    name: "Overview",
    icon: "dashboard",
    list: lazy(async () => (await import("~/console/pages/overview")).Overview),
  },
  environments: {
    name: "Environments",
    icon: "box",
    list: lazy(async () => (await import("~/console/pages/environments")).Environments),
    one: lazy(async () => (await import("~/console/pages/environment")).EnvironmentPage),
  },
  runs: {
    name: "Runs",
    icon: "play",
    list: lazy(async () => (await import("~/console/pages/runs")).Runs),
    one: lazy(async () => (await import("~/console/pages/run")).RunPage),
  },
  suites: {
    name: "Suites",
    icon: "list",
    list: lazy(async () => (await import("~/console/pages/suites")).Suites),
    one: lazy(async () => (await import("~/console/pages/suite")).SuitePage),
  },
  templates: {
    name: "Templates",
    icon: "layers",
    list: lazy(async () => (await import("~/console/pages/templates")).Templates),
    one: lazy(async () => (await import("~/console/pages/template")).TemplatePage),
  },
  playground: {
    name: "Playground",
    icon: "terminal",
    list: lazy(async () => (await import("~/console/pages/playground")).Playground),
  },
};

const ENTRIES = Object.entries(PAGES).map(([path, { name, icon }]) => ({ path, name, icon }));

export function App() {
  const [section = "", id] = place.value.parts;
  const page = PAGES[section];
  const title = page ? page.name : "Not found";
  useEffect(() => {
    document.title = `${id ? `${id.slice(0, 8)} – ` : ""}${title} – Diorama`;
  }, [title, id]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Navigation entries={ENTRIES} />
      <main id="main" tabIndex={-1}>
        {isLocked.value ? <KeyForm /> : <Content page={page} section={section} id={id} />}
      </main>
      <Help />
    </>
  );
}

function Content({
  page,
  section,
  id,
}: {
  page: Page | undefined;
  section: string;
  id?: string | undefined;
}) {
  if (id !== undefined && page?.one) return <page.one key={`${section}/${id}`} id={id} />;
  if (id === undefined && page) return <page.list key={section} />;
  return (
    <>
      <Head title="Not found" />
      <Empty title="There is no such page.">
        <p>
          Go to the <a href={pathTo()}>overview</a>.
        </p>
      </Empty>
    </>
  );
}
