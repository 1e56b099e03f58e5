import type { Element, HTMLElement } from "happy-dom";

/** The parts of roles and names (WAI-ARIA, accname) that the tests depend on. Chromium has the whole of them. */

const rolesOfTags: Readonly<Record<string, string>> = {
  A: "link",
  ARTICLE: "article",
  BUTTON: "button",
  DIALOG: "dialog",
  FIELDSET: "group",
  FORM: "form",
  H1: "heading",
  H2: "heading",
  H3: "heading",
  H4: "heading",
  IMG: "img",
  LI: "listitem",
  MAIN: "main",
  NAV: "navigation",
  OL: "list",
  OPTION: "option",
  OUTPUT: "status",
  PROGRESS: "progressbar",
  SECTION: "region",
  SELECT: "combobox",
  TABLE: "table",
  TBODY: "rowgroup",
  TD: "cell",
  TEXTAREA: "textbox",
  TH: "columnheader",
  THEAD: "rowgroup",
  TR: "row",
  UL: "list",
};

const rolesOfInputs: Readonly<Record<string, string>> = {
  button: "button",
  checkbox: "checkbox",
  email: "textbox",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  search: "searchbox",
  submit: "button",
  tel: "textbox",
  text: "textbox",
  url: "textbox",
};

const namedByContent = new Set([
  "button",
  "cell",
  "checkbox",
  "columnheader",
  "gridcell",
  "heading",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "row",
  "switch",
  "tab",
  "tooltip",
]);

const inline = new Set([
  "A",
  "ABBR",
  "B",
  "BDI",
  "CODE",
  "EM",
  "I",
  "KBD",
  "MARK",
  "SMALL",
  "SPAN",
  "STRONG",
]);
const controls = new Set(["INPUT", "METER", "OUTPUT", "PROGRESS", "SELECT", "TEXTAREA"]);

export function roleOf(element: Element): string | undefined {
  const role = element.getAttribute("role");
  if (role) return role.split(" ")[0];
  if (element.tagName === "INPUT") return rolesOfInputs[element.getAttribute("type") ?? "text"];
  if (element.tagName === "A" && !element.hasAttribute("href")) return undefined;
  return rolesOfTags[element.tagName];
}

/** A selector of the elements that can have this role. */
export function candidatesFor(role: string): string {
  const tags = Object.keys(rolesOfTags).filter((tag) => rolesOfTags[tag] === role);
  const inputs = Object.values(rolesOfInputs).includes(role) ? ["input"] : [];
  return [...tags.map((tag) => tag.toLowerCase()), ...inputs, `[role~=${role}]`].join(", ");
}

/** Whether nobody can perceive the element. Without layout, only attributes hide. */
export function isHidden(element: Element): boolean {
  return element.closest("[hidden], [aria-hidden=true], [inert]") !== null || isNotRendered(element);
}

/** Whether the element has no box. Unlike `isHidden`, false behind a dialog. */
export function isNotRendered(element: Element): boolean {
  return !element.isConnected || element.closest("[hidden], template, script, style") !== null;
}

export function nameOf(element: HTMLElement): string {
  const label = labelOf(element);
  if (label !== "") return label;
  const legend = [...element.children].find(({ tagName }) => tagName === "LEGEND" || tagName === "CAPTION");
  if (legend) return normalize(textOf(legend));
  if (namedByContent.has(roleOf(element) ?? "")) {
    const content = normalize(textOf(element));
    if (content !== "") return content;
  }
  return normalize(
    element.getAttribute("alt") ?? element.getAttribute("title") ?? element.getAttribute("placeholder") ?? "",
  );
}

/** The name that attributes or `<label>` give. */
export function labelOf(element: Element): string {
  const { ownerDocument } = element;
  const labels = (element.getAttribute("aria-labelledby") ?? "")
    .split(/\s+/)
    .flatMap((id) => ownerDocument.getElementById(id) ?? []);
  if (labels.length > 0) return normalize(labels.map(textOf).join(" "));
  const label = element.getAttribute("aria-label");
  if (label) return normalize(label);
  if (!controls.has(element.tagName)) return "";
  const around = element.closest("label");
  const apart = [...ownerDocument.querySelectorAll("label")].filter(
    (each) => element.id !== "" && each.getAttribute("for") === element.id,
  );
  const all = around ? [around, ...apart.filter((each) => each !== around)] : apart;
  return normalize(all.map(textOf).join(" "));
}

export const normalize = (text: string) => text.replace(/\s+/g, " ").trim();

/** The text of the element as people hear it. */
function textOf(element: Element): string {
  let text = "";
  for (const node of element.childNodes) {
    if (node.nodeType === node.TEXT_NODE) text += node.textContent;
    if (!isElement(node) || node.getAttribute("aria-hidden") === "true" || node.hasAttribute("hidden"))
      continue;
    if (controls.has(node.tagName)) continue;
    const inner = node.getAttribute("aria-label") ?? textOf(node);
    text += inline.has(node.tagName) ? inner : ` ${inner} `;
  }
  return text;
}

function isElement(node: object): node is Element {
  return "tagName" in node;
}
