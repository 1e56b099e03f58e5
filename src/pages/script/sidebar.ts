import { findAll } from "./dom.ts";

/** Enables the filter, and highlights the link of the current section. */
export function enhanceSidebar(): void {
  const sidebar = document.getElementById("sidebar");
  const filter = document.getElementById("filter");
  if (!sidebar || !(filter instanceof HTMLInputElement)) return;
  for (const box of findAll("[data-filter]", HTMLElement)) box.hidden = false;
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
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (getComputedStyle(sidebar).display === "none") sidebar.showPopover();
    filter.focus();
  });
  sidebar.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a")) sidebar.hidePopover();
  });
  highlightCurrentSection(sidebar);
}

function filterLinks(sidebar: HTMLElement, query: string): void {
  const words = query.toLowerCase().split(/\s+/);
  for (const item of findAll("li", HTMLElement, sidebar)) {
    const text = (item.dataset.keywords ?? "").toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const group of findAll(".links-group", HTMLElement, sidebar)) {
    group.hidden = !group.querySelector("li:not([hidden])");
  }
  const noMatch = sidebar.querySelector("[data-no-match]");
  if (noMatch) noMatch.textContent = sidebar.querySelector("li:not([hidden])") ? "" : "No matches.";
}

function highlightCurrentSection(sidebar: HTMLElement): void {
  const links = new Map(
    findAll("li a", HTMLAnchorElement, sidebar).map((link) => [link.hash.slice(1), link]),
  );
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
    // A line at a quarter of the window height: exactly one section crosses it.
    { rootMargin: "-25% 0px -75% 0px" },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) observer.observe(section);
  }
}
