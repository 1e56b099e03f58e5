import { element, findAll } from "./dom.ts";

function readChosenTab(name: string): string | null {
  try {
    return localStorage.getItem(`roster-${name}`);
  } catch {
    return null; // Some private windows have no storage: the choice then lasts until the page closes.
  }
}

function chooseTab(name: string, label: string): void {
  try {
    localStorage.setItem(`roster-${name}`, label);
  } catch {}
  for (const samples of findAll(`[data-samples="${name}"]`, HTMLElement)) {
    const tabs = findAll("[role=tab]", HTMLElement, samples);
    const selected = tabs.find((tab) => tab.textContent === label);
    if (selected) for (const tab of tabs) showTab(tab, tab === selected);
  }
}

function showTab(tab: HTMLElement, shown: boolean): void {
  tab.setAttribute("aria-selected", String(shown));
  tab.tabIndex = shown ? 0 : -1;
  const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
  if (panel) panel.hidden = !shown;
}

function moveBetweenTabs(event: KeyboardEvent, tabs: HTMLElement[]): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  const step = steps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const current = tabs.findIndex((tab) => tab.matches(":focus"));
  const next = Number.isFinite(step) ? tabs.at((current + step) % tabs.length) : tabs.at(step > 0 ? -1 : 0);
  next?.focus();
  next?.click();
}

/** Adds tabs and a copy button. Choosing a tab chooses it in all panels of the same name. */
export function enhanceSamples(samples: HTMLElement, index: number): void {
  const name = samples.dataset.samples ?? "";
  const figures = findAll("figure", HTMLElement, samples);
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
  if (figures.length > 1) row.addEventListener("keydown", (event) => moveBetweenTabs(event, tabs));
  const copy = element("button", { type: "button", class: "copy", "aria-label": `Copy: ${name}` }, "Copy");
  copy.addEventListener("click", () => copyVisibleSample(samples, copy));
  const worthCopying = samples.querySelector("code:not([data-language=text], [data-language=http])") !== null;
  samples.prepend(element("div", { class: "samples-bar" }, row, ...(worthCopying ? [copy] : [])));
  samples.classList.add("enhanced");
  const selected = tabs.find((tab) => tab.textContent === readChosenTab(name)) ?? tabs[0];
  if (figures.length > 1) for (const tab of tabs) showTab(tab, tab === selected);
}

async function copyVisibleSample(samples: HTMLElement, button: HTMLElement): Promise<void> {
  const code = samples.querySelector("figure:not([hidden]) code");
  if (!code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    button.textContent = "Copied";
  } catch {
    // Pages loaded over HTTP have no access to the clipboard: select the text, so the reader can copy it.
    getSelection()?.selectAllChildren(code);
    button.textContent = "Selected";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1600);
}
