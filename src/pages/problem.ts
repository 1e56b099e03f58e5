import type { Operation } from "../contract/operation.ts";
import { listProblems, operations } from "../contract/operations.ts";
import { type ProblemType, problemExample, problems } from "../contract/problems.ts";
import { type Html, html, inlineMarkdown } from "./html.ts";
import { brand, page } from "./layout.ts";
import { methodBadge } from "./operation.ts";
import { formatJson, samplePanel, statusLine } from "./samples.ts";

/** The page of one problem. The `type` of a problem document is its path. */
export function renderProblem(type: ProblemType): string {
  const { status, title, when, solution } = problems[type];
  const returningOperations = listOperations(type);
  return page(
    `${title} · Roster`,
    frame(html`
<p class="crumbs"><a href="/problems">Problems</a></p>
<h1>${title}</h1>
<p class="route"><span class="status failed">${statusLine(status)}</span> <code>${type}</code></p>
<h2>When it occurs</h2>
<p>${inlineMarkdown(when)}</p>
<h2>What to do</h2>
<p>${inlineMarkdown(solution)}</p>
<h2>Operations that return it</h2>
${operationList(returningOperations)}
<h2>Response body</h2>
${samplePanel("Example", [
  {
    label: "application/problem+json",
    language: "json",
    text: formatJson(problemExample(type, examplePath(returningOperations))),
  },
])}`),
  );
}

/** The page at /problems: every problem. */
export function renderProblemIndex(): string {
  return page(
    "Problems · Roster",
    frame(html`
<h1>Problems</h1>
<p class="summary">Every error that the API can return.</p>
<ul class="catalogue">${byStatus(Object.entries(problems)).map(
      ([type, { status, title }]) => html`
  <li><a href="/problems/${type}"><span class="status failed">${status}</span><span>${title} <code>${type}</code></span></a></li>`,
    )}
</ul>`),
  );
}

/** By status, then by type. */
function byStatus<Entry extends readonly [string, { readonly status: number }]>(
  entries: readonly Entry[],
): Entry[] {
  return entries.toSorted(
    ([a, first], [b, second]) => first.status - second.status || a.localeCompare(b, "en"),
  );
}

function frame(content: Html): Html {
  return html`
<header class="bar always">${brand("Problems")}<nav aria-label="Site"><a href="/">Console</a><a href="/docs">Reference</a></nav></header>
<main class="article" id="content">${content}</main>`;
}

function listOperations(type: ProblemType): Operation[] {
  return Object.values<Operation>(operations).filter((operation) => listProblems(operation).includes(type));
}

function operationList(returningOperations: Operation[]): Html {
  if (returningOperations.length === Object.keys(operations).length) {
    return html`<p><a href="/docs#errors">Any operation</a>.</p>`;
  }
  if (returningOperations.length === 0)
    return html`<p>None. It is the response to requests that match no operation.</p>`;
  return html`<ul class="operations">${returningOperations.map(
    ({ id, method, path, summary }) => html`
  <li><a href="/docs#${id}">${methodBadge(method)}<code>${path}</code><span>${summary}</span></a></li>`,
  )}
</ul>`;
}

function examplePath(returningOperations: Operation[]): string {
  const path = returningOperations[0]?.path ?? operations.readUser.path;
  return path.replace("{id}", "1").replace("{type}", "nothing");
}
