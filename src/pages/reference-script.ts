/** What the pages do in a browser. Everything that can be read is there without it. */

// The server imports this file as text. That text is what the import gives, so that is what the compiler is told; the
// transpiler takes this export out again, and what reaches the browser imports and exports nothing.
declare const source: string;
export default source;

type Attributes = Record<string, string>;

/** As much of an answer as a page can show without becoming slow. */
const SHOWN_CHARACTERS = 50_000;

function element(name: string, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

function every<Kind extends HTMLElement>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind[] {
  return [...within.querySelectorAll(selector)].filter((found): found is Kind => found instanceof kind);
}

// Code: the service's own address, and colour.

const token =
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*')(?<colon>\s*:)?|(?<word>\b(?:true|false|null|const|let|await|while|for|of|if|throw|new|curl|GET|POST|PUT|PATCH|DELETE)\b)|(?<number>(?<=[\s[(])\d+(?:\.\d+)?\b)/g;

function coloured(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const { string, colon = "", word, number = "" } = match.groups ?? {};
    parts.push(text.slice(end, match.index));
    if (string) parts.push(element("span", { class: colon ? "key" : "string" }, string), colon);
    else parts.push(element("span", { class: word ? "word" : "number" }, word ?? number));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

function dressCode(): void {
  const standIn = document.body.dataset.sampleOrigin ?? "";
  for (const code of every("code[data-language]", HTMLElement)) {
    const text = (code.textContent ?? "").replaceAll(standIn, location.origin);
    code.replaceChildren(...(code.dataset.language === "text" ? [text] : coloured(text)));
  }
}

// Samples: tabs, chosen for the whole page at once, and a button that copies.

function chosenTab(name: string): string | null {
  try {
    return localStorage.getItem(`roster-${name}`);
  } catch {
    return null; // Storage is refused in some private windows: the choice then lasts as long as the page.
  }
}

function chooseTab(name: string, label: string): void {
  try {
    localStorage.setItem(`roster-${name}`, label);
  } catch {}
  for (const samples of every(`[data-samples="${name}"]`, HTMLElement)) {
    const tabs = every("[role=tab]", HTMLElement, samples);
    const wanted = tabs.find((tab) => tab.textContent === label);
    if (wanted) for (const tab of tabs) showTab(tab, tab === wanted);
  }
}

function showTab(tab: HTMLElement, shown: boolean): void {
  tab.setAttribute("aria-selected", String(shown));
  tab.tabIndex = shown ? 0 : -1;
  const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
  if (panel) panel.hidden = !shown;
}

function moveAmongTabs(event: KeyboardEvent, tabs: HTMLElement[]): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const now = tabs.findIndex((tab) => tab.matches(":focus"));
  const next = Number.isFinite(step) ? tabs.at((now + step) % tabs.length) : tabs.at(step > 0 ? -1 : 0);
  next?.focus();
  next?.click();
}

function dressSamples(samples: HTMLElement, index: number): void {
  const name = samples.dataset.samples ?? "";
  const figures = every("figure", HTMLElement, samples);
  const tabs = figures.map((figure, position) => {
    const label = figure.querySelector("figcaption")?.textContent ?? "";
    figure.id = `sample-${index}-${position}`;
    if (figures.length === 1) return element("span", { class: "alone" }, label);
    const id = `tab-${index}-${position}`;
    figure.setAttribute("role", "tabpanel");
    figure.setAttribute("aria-labelledby", id);
    const tab = element("button", { type: "button", role: "tab", id, "aria-controls": figure.id }, label);
    tab.addEventListener("click", () => chooseTab(name, label));
    return tab;
  });
  const row = element("div", figures.length > 1 ? { role: "tablist", "aria-label": name } : {}, ...tabs);
  if (figures.length > 1) row.addEventListener("keydown", (event) => moveAmongTabs(event, tabs));
  const copy = element("button", { type: "button", class: "copy", "aria-label": `Copy: ${name}` }, "Copy");
  copy.addEventListener("click", () => copyShown(samples, copy));
  const worthCopying = samples.querySelector("code:not([data-language=text], [data-language=http])") !== null;
  samples.prepend(element("div", { class: "samples-bar" }, row, ...(worthCopying ? [copy] : [])));
  samples.classList.add("dressed");
  const wanted = tabs.find((tab) => tab.textContent === chosenTab(name)) ?? tabs[0];
  if (figures.length > 1) for (const tab of tabs) showTab(tab, tab === wanted);
}

async function copyShown(samples: HTMLElement, button: HTMLElement): Promise<void> {
  const code = samples.querySelector("figure:not([hidden]) code");
  if (!code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    // Browsers keep the clipboard from pages that came over plain HTTP: the text is selected for the reader's own keys.
    getSelection()?.selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1600);
}

// The sidebar: the filter, and where the reader is.

function dressSidebar(): void {
  const sidebar = document.getElementById("sidebar");
  const filter = document.getElementById("filter");
  if (!sidebar || !(filter instanceof HTMLInputElement)) return;
  for (const box of every("[data-filter]", HTMLElement)) box.hidden = false;
  filter.addEventListener("input", () => filterLinks(sidebar, filter.value));
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") sidebar.querySelector<HTMLElement>("li:not([hidden]) a")?.click();
    if (event.key === "Escape" && filter.value !== "") {
      event.preventDefault();
      filter.value = "";
      filterLinks(sidebar, "");
    }
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (getComputedStyle(sidebar).display === "none") sidebar.showPopover();
    filter.focus();
  });
  sidebar.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) sidebar.hidePopover();
  });
  followReader(sidebar);
}

function filterLinks(sidebar: HTMLElement, wanted: string): void {
  const words = wanted.toLowerCase().split(/\s+/);
  for (const item of every("li", HTMLElement, sidebar)) {
    const text = (item.dataset.foundBy ?? "").toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of every(".links-group", HTMLElement, sidebar)) {
    group.hidden = !group.querySelector("li:not([hidden])");
  }
  const nothing = sidebar.querySelector("[data-nothing]");
  if (nothing) nothing.textContent = sidebar.querySelector("li:not([hidden])") ? "" : "Nothing by that name.";
}

function followReader(sidebar: HTMLElement): void {
  const links = new Map(every("li a", HTMLAnchorElement, sidebar).map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver(
    (entries) => {
      const entered = entries.find((entry) => entry.isIntersecting);
      const current = links.get(entered?.target.id ?? "");
      if (!current) return;
      for (const link of links.values()) link.removeAttribute("aria-current");
      current.setAttribute("aria-current", "true");
      const { top, bottom } = current.getBoundingClientRect();
      if (top < 0 || bottom > innerHeight) sidebar.scrollTop += top - innerHeight / 2;
    },
    // A line a quarter down the window: exactly one section crosses it.
    { rootMargin: "-25% 0px -75% 0px" },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }
}

// Try it.

function dressForm(details: HTMLElement): void {
  const form = details.querySelector("form");
  const outcome = details.querySelector(".outcome");
  const confirm = details.querySelector<HTMLElement>(".confirm");
  const send = details.querySelector<HTMLElement>(".send");
  if (!form || !outcome || !confirm || !send) return;
  details.hidden = false;
  const ask = (asking: boolean): void => {
    confirm.hidden = !asking;
    send.hidden = asking;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const confirmed = event.submitter instanceof HTMLButtonElement && event.submitter.value === "confirmed";
    if (form.dataset.method === "DELETE" && !confirmed) {
      ask(true);
      confirm.querySelector<HTMLElement>(".cancel")?.focus();
      return;
    }
    ask(false);
    void sendForm(form, outcome);
  });
  form.querySelector(".cancel")?.addEventListener("click", () => {
    ask(false);
    send.focus();
  });
  for (const choice of every("select[data-fills]", HTMLSelectElement, form)) {
    choice.addEventListener("change", () => {
      const editor = document.getElementById(choice.dataset.fills ?? "");
      if (editor instanceof HTMLTextAreaElement) editor.value = choice.value;
    });
  }
}

function requestFrom(form: HTMLFormElement): Request {
  const { method = "GET", path = "/", type } = form.dataset;
  const headers = new Headers(type ? { "Content-Type": type } : {});
  const query = new URLSearchParams();
  let filled = path;
  const inputs = [...every("input", HTMLInputElement, form), ...every("select", HTMLSelectElement, form)];
  for (const { name, value, dataset } of inputs) {
    if (!value || !dataset.place) continue;
    if (dataset.place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.place === "header") headers.set(name, value);
    else if (dataset.exploded === undefined) query.set(name, value);
    else for (const [field, wanted] of new URLSearchParams(value)) query.append(field, wanted);
  }
  const body = form.querySelector<HTMLTextAreaElement>("[data-body]")?.value ?? null;
  return new Request(filled + (query.size > 0 ? `?${query}` : ""), {
    method,
    headers,
    body,
    cache: "no-store",
  });
}

async function sendForm(form: HTMLFormElement, outcome: Element): Promise<void> {
  outcome.replaceChildren(element("p", {}, "Sending…"));
  try {
    const request = requestFrom(form);
    const started = performance.now();
    const response = await fetch(request);
    const text = await response.text();
    const milliseconds = Math.max(1, Math.round(performance.now() - started));
    outcome.replaceChildren(...answer(request, response, text, milliseconds));
    outcome.scrollIntoView({ block: "nearest" });
  } catch (error) {
    outcome.replaceChildren(element("p", { class: "failure" }, `No answer came: ${error}`));
  }
}

function answer(request: Request, response: Response, text: string, milliseconds: number): Node[] {
  const { pathname, search } = new URL(request.url);
  const headers = [...response.headers].map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  const status = element(
    "p",
    { class: "outcome-line" },
    element(
      "span",
      { class: response.status < 400 ? "status" : "status failed" },
      `${response.status} ${response.statusText}`.trim(),
    ),
    ` ${milliseconds} ms`,
  );
  const list = element(
    "details",
    {},
    element("summary", {}, `${headers.length} headers`),
    element("dl", {}, ...headers),
  );
  const sent = element("p", { class: "sent" }, `${request.method} ${pathname}${search}`);
  const { shown, problem } = readBody(response, text);
  const attributes = { tabindex: "0", role: "region", "aria-label": "Body of the answer" };
  const body = element("pre", attributes, element("code", {}, ...shown));
  const meaning = problem && element("p", {}, element("a", { href: problem }, "What this problem means"));
  return [status, sent, ...(meaning ? [meaning] : []), list, body];
}

/** The body as it is shown, and the page that explains it when it is a problem. */
function readBody(response: Response, text: string): { shown: (Node | string)[]; problem?: string } {
  if (text === "") return { shown: ["No body."] };
  const more = text.length - SHOWN_CHARACTERS;
  if (more > 0) return { shown: [text.slice(0, SHOWN_CHARACTERS), `\n… and ${more} characters more`] };
  if (!/\bjson\b/.test(response.headers.get("Content-Type") ?? "")) return { shown: [text] };
  const value: unknown = JSON.parse(text);
  const shown = coloured(JSON.stringify(value, null, 2));
  const hasType = typeof value === "object" && value !== null && "type" in value;
  const type = hasType && typeof value.type === "string" ? value.type : "";
  return type.startsWith("/problems/") ? { shown, problem: type } : { shown };
}

dressCode();
every("[data-samples]", HTMLElement).forEach(dressSamples);
dressSidebar();
every("[data-try]", HTMLElement).forEach(dressForm);
