import { apiInfo } from "../contract/openapi.ts";
import { namedSchemas } from "../contract/schema-names.ts";
import { type Description, describeReference } from "./description.ts";
import { type Html, html } from "./html.ts";
import { conventions, introduction } from "./introduction.ts";
import { brand, page } from "./layout.ts";
import { methodBadge, operationSection } from "./operation.ts";
import { schemaAnchor, schemaSection } from "./schema.ts";
import { signInDialog } from "./session.ts";

/** The reference page at /docs. Yields to the event loop between operations: rendering takes tens of milliseconds. */
export async function renderReference(version: string): Promise<string> {
  const description = describeReference(version);
  const groups: Html[] = [];
  for (const group of description.groups) {
    const sections: Html[] = [];
    for (const operation of group.operations) {
      sections.push(operationSection(operation, description));
      await Bun.sleep(0);
    }
    groups.push(groupSection(group.name, group.description, sections));
  }
  return page(
    `${apiInfo.title} API reference`,
    html`
<div class="reference">
  <header class="bar">
    ${brand(description.version)}
    <button class="menu" type="button" popovertarget="sidebar" aria-controls="sidebar">Menu</button>
  </header>
  ${sidebar(description)}
  <main id="content">
    ${introduction(description)}
    ${groups}
    <section class="group" id="schemas" aria-labelledby="schemas-title">
      <h2 id="schemas-title"><a href="#schemas">Schemas</a></h2>
      <p class="summary">The types of request and response bodies.</p>
      <div class="schemas">${namedSchemas.map(([name, schema]) => schemaSection(name, schema))}</div>
    </section>
  </main>
</div>
${signInDialog()}`,
  );
}

function groupSection(name: string, description: string, sections: readonly Html[]): Html {
  return html`
    <section class="group" id="${name}" aria-labelledby="${name}-title">
      <h2 id="${name}-title"><a href="#${name}">${capitalised(name)}</a></h2>
      <p class="summary">${description}</p>
      ${sections}
    </section>`;
}

/** A popover on a phone, a column on wider screens. Works without the script. */
function sidebar(description: Description): Html {
  return html`
<nav class="sidebar" id="sidebar" popover aria-label="Reference">
  ${brand(description.version)}
  <a class="to-console" href="/">Console</a>
  <div class="filter" role="search" hidden data-filter>
    <label class="hidden" for="filter">Filter operations</label>
    <input id="filter" type="search" placeholder="Filter" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
    <kbd aria-hidden="true">/</kbd>
  </div>
  ${linkGroup("Introduction", [
    link("introduction", "Overview"),
    ...conventions(description).map(({ id, title }) => link(id, title)),
  ])}
  ${description.groups.map((group) =>
    linkGroup(
      capitalised(group.name),
      group.operations.map(({ id, method, path, summary }) =>
        link(id, summary, `${method} ${path} ${id}`, methodBadge(method)),
      ),
    ),
  )}
  ${linkGroup(
    "Schemas",
    namedSchemas.map(([name]) => link(schemaAnchor(name), name)),
  )}
  <p class="no-match" role="status" data-no-match></p>
</nav>`;
}

function linkGroup(title: string, links: Html[]): Html {
  return html`
<div class="links-group"><h2>${title}</h2><ul>${links}</ul></div>`;
}

function link(id: string, text: string, keywords = "", badge?: Html): Html {
  return html`
<li data-keywords="${text} ${keywords}"><a href="#${id}">${text}${badge}</a></li>`;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
