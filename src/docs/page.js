/**
 * Search, copy buttons and tabs of the guide and reference. A page is complete without it.
 *
 * A script as it is, without a build: it is served as text.
 */
const RESULTS_MAX = 12;
const QUERY_MAX = 100;
/** The language that the reader chose, in this tab. */
const LANGUAGE = "diorama.language";
/** The address that the pages name. */
const WRITTEN = "http://127.0.0.1:3000";
const NAMES = { sh: "curl", bash: "curl", python: "Python", ts: "TypeScript" };

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** Commands and settings name the server that shows the page. */
function nameThisServer() {
  for (const pre of document.querySelectorAll("pre")) {
    const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      text.data = text.data.replaceAll(WRITTEN, location.origin);
  }
}

/** The clipboard needs a secure context; a server in a network has none. The text is then selected. */
async function copy(pre, button) {
  const code = pre.querySelector("code") ?? pre;
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2_000);
  };
  try {
    await navigator.clipboard.writeText(code.textContent.replace(/\n$/, ""));
    say("Copied");
  } catch {
    getSelection().selectAllChildren(code);
    say("Selected");
  }
}

function addCopyButtons() {
  for (const pre of document.querySelectorAll("main pre")) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", () => void copy(pre, button));
    const frame = make("div", { className: "code" });
    pre.replaceWith(frame);
    // It may scroll; see reachWideTables.
    pre.tabIndex = 0;
    frame.append(pre, button);
  }
}

/** What scrolls must be reachable with the keyboard. */
function reachWideTables() {
  for (const table of document.querySelectorAll("main table"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
}

const strips = [];

function choose(language) {
  for (const { buttons, panels } of strips) {
    const chosen = buttons.has(language) ? language : buttons.keys().next().value;
    for (const [each, button] of buttons) {
      const isChosen = each === chosen;
      button.setAttribute("aria-selected", `${isChosen}`);
      button.tabIndex = isChosen ? 0 : -1;
      panels.get(each).hidden = !isChosen;
    }
  }
}

/** One strip for each example in several languages; a choice holds for all of them. */
function addTabs() {
  for (const group of document.querySelectorAll(".examples")) {
    const list = make("div", { className: "tabs", role: "tablist" });
    list.setAttribute("aria-label", "Language");
    const strip = { buttons: new Map(), panels: new Map() };
    for (const panel of [...group.children]) {
      const { language } = panel.dataset;
      const id = `example-${strips.length}-${language}`;
      const tab = make("button", { type: "button", role: "tab", textContent: NAMES[language], id });
      tab.setAttribute("aria-controls", `${id}-panel`);
      tab.addEventListener("click", () => {
        sessionStorage.setItem(LANGUAGE, language);
        const top = list.getBoundingClientRect().top;
        choose(language);
        // Strips above change their height too.
        scrollBy(0, list.getBoundingClientRect().top - top);
      });
      Object.assign(panel, { id: `${id}-panel`, role: "tabpanel" });
      panel.setAttribute("aria-labelledby", id);
      strip.buttons.set(language, tab);
      strip.panels.set(language, panel);
      list.append(tab);
    }
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const tabs = [...strip.buttons.values()];
      const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
      next.focus();
      next.click();
    });
    group.prepend(list);
    strips.push(strip);
  }
  choose(sessionStorage.getItem(LANGUAGE));
}

let index;
const readIndex = () => {
  index ??= fetch("/docs/search.json").then((response) => response.json());
  return index;
};

/** Sections that have every word, best first: in a page's title, in a heading, in the text. */
function find(sections, query) {
  const words = query.toLowerCase().slice(0, QUERY_MAX).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const weigh = ({ title, heading, text }) => {
    const [first, second, all] = [title, heading, `${title} ${heading} ${text}`].map((each) =>
      each.toLowerCase(),
    );
    if (!words.every((word) => all.includes(word))) return 0;
    const isTitle = heading === "" && words.every((word) => first.includes(word));
    return isTitle ? 3 : 1 + words.filter((word) => second.includes(word)).length / words.length;
  };
  return sections
    .map((section) => ({ section, weight: weigh(section) }))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, RESULTS_MAX)
    .map(({ section }) => section);
}

const excerpt = (text, query) => {
  const [word = ""] = query.toLowerCase().trim().split(/\s+/);
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return `${at > 0 ? "…" : ""}${text.slice(at, at + 120)}${text.length > at + 120 ? "…" : ""}`;
};

function addSearch() {
  const place = document.querySelector("search");
  const input = place.querySelector("input");
  const results = place.querySelector("ul");
  const state = place.querySelector("[role=status]");
  const show = async () => {
    const query = input.value;
    let found = [];
    let failure = "";
    try {
      found = find(await readIndex(), query);
    } catch {
      index = undefined;
      failure = "The index cannot be read; try again";
    }
    // A newer query has its own answer.
    if (query !== input.value) return;
    const items = found.map(({ path, title, heading, text }) => {
      const name = heading === "" ? title : `${title}: ${heading}`;
      return make(
        "li",
        {},
        make("a", { href: path, textContent: name }),
        make("span", { textContent: excerpt(text, query) }),
      );
    });
    results.replaceChildren(...items);
    const isEmpty = query.trim() !== "" && items.length === 0;
    state.textContent = failure || (isEmpty ? "Nothing found" : "");
  };
  input.addEventListener("input", () => void show());
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") results.querySelector("a")?.click();
    if (event.key !== "Escape") return;
    input.value = "";
    void show();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    event.preventDefault();
    input.focus();
  });
  place.hidden = false;
}

nameThisServer();
addTabs();
addCopyButtons();
addSearch();
reachWideTables();
addEventListener("resize", reachWideTables);
