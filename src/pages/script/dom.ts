type Attributes = Record<string, string>;

/** An element with its attributes and what is in it. */
export function element(
  name: string,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** Those that a selector finds, of one kind. */
export function findAll<Kind extends HTMLElement>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind[] {
  return [...within.querySelectorAll(selector)].filter((found): found is Kind => found instanceof kind);
}
