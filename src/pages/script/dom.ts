type Attributes = Record<string, string>;

/** Creates an element. */
export function element(
  name: string,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElement {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children);
  return created;
}

/** The elements that match a selector and have this class. */
export function findAll<Kind extends HTMLElement>(
  selector: string,
  kind: new () => Kind,
  within: ParentNode = document,
): Kind[] {
  return [...within.querySelectorAll(selector)].filter((found): found is Kind => found instanceof kind);
}
