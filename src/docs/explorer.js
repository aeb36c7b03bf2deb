/**
 * Starts the explorer in the plugin's page, which has a place for one script and none for a style sheet.
 *
 * Follows the script of the explorer in one file. A script as it is, without a build: it is served as text.
 */
const PLATFORM = "/api/platform";
/** The schemes of the document, by the header that each fills. */
const SCHEMES = { key: "X-API-Key", bearer: "Authorization" };
/** Credentials live in the tab, like the key of the console, which is the same one. */
const storageOf = (scheme) => `diorama.${scheme}`;

/** Replaces the ids in examples by those of real objects. */
let realId = (_name, _path) => undefined;

async function read(path) {
  const key = sessionStorage.getItem(storageOf("key"));
  const bearer = sessionStorage.getItem(storageOf("bearer"));
  const headers = key
    ? { [SCHEMES.key]: key }
    : { ...(bearer && { [SCHEMES.bearer]: `Bearer ${bearer}` }) };
  const response = await fetch(PLATFORM + path, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return await response.json();
}

/** Reads the caller's newest objects. Without a valid key, the document's own examples remain. */
async function readIds() {
  try {
    const { environments } = await read("/environments?status=active");
    const [{ runs }, { testSuites }] = await Promise.all([
      read("/runs"),
      read("/testSuites?limit=1"),
    ]);
    const suiteId = testSuites[0]?.id;
    const { tests = [] } = suiteId ? await read(`/testSuites/${suiteId}?expand=true`) : {};
    const running = runs.find(({ status }) => status === "running");
    const ended = runs.find(({ status }) => status !== "running");
    const isIdle = ({ environmentId }) =>
      !runs.some((run) => run.environmentId === environmentId && run.status === "running");
    const environmentOf = (path) => {
      const service = /\/services\/(\w+)\//.exec(path)?.[1];
      return environments.find((each) => service === undefined || each.service === service);
    };

    realId = (name, path) => {
      // A path names what exists, a body what the call begins or ends.
      if (name === "envId")
        return (path ? environmentOf(path) : environments.find(isIdle))?.environmentId;
      if (name === "environmentId") return environments[0]?.environmentId;
      if (name === "runId") return ((path ? ended : running) ?? runs[0])?.runId;
      if (name === "suiteId" || name === "testSuiteId") return suiteId;
      return name === "testId" ? tests[0]?.id : undefined;
    };
  } catch {
    realId = () => undefined;
  }
}

/** Examples of parameters, where version 3.0 has them: of every path, and of every call of a service. */
function showExamples(parameters, isService) {
  for (const parameter of parameters) {
    const [example] = parameter.schema?.examples ?? [];
    if (example !== undefined && (isService || parameter.in === "path"))
      parameter.example = example;
  }
}

/**
 * The explorer gets the document as version 3.0, which it resolves in a third of the time: 0.9 s of CPU compared with
 * 3.0 s. Its renderer for 3.1 would only add null to the types of a value.
 */
async function readDocument() {
  const asVersion30 = (_, value) =>
    Array.isArray(value?.type) ? { ...value, type: value.type[0], nullable: true } : value;
  const text = await (await fetch("/docs/json")).text();
  const spec = { ...JSON.parse(text, asVersion30), openapi: "3.0.3" };
  showExamples(Object.values(spec.components.parameters), false);
  for (const [path, operations] of Object.entries(spec.paths))
    for (const { parameters = [] } of Object.values(operations))
      showExamples(parameters, path.includes("/services/"));
  return spec;
}

/** Parameters and bodies begin with ids of real objects. */
const withRealIds = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        parameterWithMetaByIdentity: (original) => (_, pathMethod, parameter) => {
          const found = original(pathMethod, parameter);
          const id = found.get("in") === "path" && realId(found.get("name"), pathMethod[0]);
          return id ? found.set("example", id) : found;
        },
      },
    },
  },
  wrapComponents: {
    /** There is one server, this one: nothing to choose. */
    ServersContainer: () => () => null,
    TextArea:
      (Original, { React }) =>
      (props) =>
        React.createElement(Original, { ...props, "aria-label": "Request body" }),
    /** Disabled until the operation is resolved: without its parameters and body, a click would have no effect. */
    execute:
      (Original, { React }) =>
      ({ disabled, ...props }) => {
        const { specSelectors, path, method } = props;
        const isResolved = specSelectors.specResolvedSubtree(["paths", path, method]) !== undefined;
        return React.createElement(Original, { ...props, disabled: disabled || !isResolved });
      },
    RequestBody:
      (Original, { React }) =>
      (props) => {
        const asReal = (example) =>
          example.map?.((value, name) => realId(name) ?? value) ?? example;
        const requestBody = props.requestBody?.update("content", (content) =>
          content.map((media) => (media.get("example") ? media.update("example", asReal) : media)),
        );
        return React.createElement(Original, { ...props, requestBody });
      },
  },
});

/** Finds operations by tag, method, path, name and summary. Groups are open while a filter is set. */
const withFilter = () => ({
  fn: {
    opsFilter(groups, phrase) {
      const words = phrase.toLowerCase().split(/\s+/);
      const isFound = (tag) => (each) => {
        const operation = each.get("operation");
        const about = [
          ...[tag, each.get("method"), each.get("path")],
          ...[operation.get("operationId"), operation.get("summary")],
        ];
        const text = about.join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group, tag) => group.update("operations", (all) => all.filter(isFound(tag))))
        .filter((group) => group.get("operations").size > 0);
    },
  },
  statePlugins: {
    layout: {
      wrapSelectors: {
        isShown: (original) => (state, thing, fallback) => {
          const isFiltered = typeof state.get("filter") === "string" && state.get("filter") !== "";
          return original(thing, fallback || (isFiltered && thing[0] === "operations-tag"));
        },
      },
    },
  },
});

/** Keeps credentials over a reload. */
const withCredentials = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (payload) => {
          for (const [scheme, { value }] of Object.entries(payload))
            sessionStorage.setItem(storageOf(scheme), value);
          void readIds();
          return original(payload);
        },
        logout: (original) => (schemes) => {
          for (const scheme of schemes) sessionStorage.removeItem(storageOf(scheme));
          return original(schemes);
        },
      },
    },
  },
});

function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", paint);
  paint();
}

async function start() {
  const sheet = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: "/docs/explorer.css",
  });
  // The explorer has an element `main` of its own.
  const place = document.createElement("div");
  document.documentElement.lang = "en";
  document.head.append(sheet);
  document.body.append(place);
  followColours();
  const [spec] = await Promise.all([readDocument(), readIds()]);
  const explorer = SwaggerUIBundle({
    spec,
    domNode: place,
    validatorUrl: null,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    docExpansion: "none",
    filter: true,
    plugins: [withRealIds, withFilter, withCredentials],
    responseInterceptor: async (response) => {
      if (new URL(response.url).pathname.startsWith(PLATFORM)) await readIds();
      return response;
    },
    onComplete() {
      for (const scheme of Object.keys(SCHEMES)) {
        const value = sessionStorage.getItem(storageOf(scheme));
        if (value) explorer.preauthorizeApiKey(scheme, value);
      }
    },
  });
}

addEventListener("load", start);
