import {
  type BodyDescription,
  formatScopes,
  listRequestBodies,
  type Operation,
} from "../contract/operation.ts";
import { type ProblemType, problems } from "../contract/problems.ts";
import type { DescribedResponse } from "../contract/responses.ts";
import {
  type CommonParts,
  type DescribedOperation,
  type Description,
  type Headers,
  listProblems,
  omitCommon,
} from "./description.ts";
import { type Html, html, inlineMarkdown, markdown } from "./html.ts";
import { requestSamples, responseSamples, statusLine } from "./samples.ts";
import { fieldList, headerList, typeName } from "./schema.ts";
import { tryIt } from "./try-it.ts";

const places = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Request headers"],
] as const;

export function methodBadge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

/** What the operation requires: a key with scopes, any key, or no key. */
function accessBadge(operation: Operation): Html {
  const { access } = operation;
  if (access === "public") return html`<span class="access">no key</span>`;
  const requirement =
    access === "authenticated"
      ? "any key"
      : html`<span class="hidden">requires a key with the scope </span>${formatScopes(operation)}`;
  return html`<a class="access" href="#authentication">${requirement}</a>`;
}

/** The description of an operation, beside its samples and its form. */
export function operationSection(operation: DescribedOperation, { everywhere, keyed }: Description): Html {
  const { id, method, path, summary, description, access, parameters } = operation;
  const bodies = listRequestBodies(operation);
  const keyParts = access === "public" ? { headers: {}, problems: [] } : keyed;
  return html`
<section class="split operation" id="${id}" aria-labelledby="${id}-title">
  <div class="text">
    <h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
    <p class="route">${methodBadge(method)} <code>${breakableSlashes(path)}</code> ${accessBadge(operation)}</p>
    ${markdown(description)}
    ${places.map(([place, title]) => {
      const fields = parameters.filter((parameter) => parameter.in === place);
      return fields.length > 0 && html`<h4>${title}</h4>${fieldList(fields)}`;
    })}
    ${
      bodies.length > 0 &&
      html`<h4>Body</h4>
    <p class="form">${bodyType(bodies)}</p>`
    }
    <h4>Responses</h4>
    ${operation.allResponses
      .filter((response) => response.problems.length === 0)
      .map((response) =>
        responseText(response, omitCommon(omitCommon(response, everywhere), keyParts).headers),
      )}
    ${problemsText(operation, everywhere, keyParts)}
  </div>
  <div class="beside">${requestSamples(operation)}${responseSamples(operation)}${tryIt(operation)}</div>
</section>`;
}

function responseText({ status, description, bodies }: DescribedResponse, headers: Headers): Html {
  return html`
<div class="response">
  <p><span class="status">${statusLine(status)}</span> ${inlineMarkdown(description)}${
    bodies.length > 0 && html` <span class="form">${bodyType(bodies)}</span>`
  }</p>
  ${Object.keys(headers).length > 0 && headerList(headers)}
</div>`;
}

/** The problems of this operation by status, then the problems that it shares with other operations. */
function problemsText(
  { allResponses }: DescribedOperation,
  everywhere: CommonParts,
  keyed: CommonParts,
): Html {
  const successHeaders = allResponses.find(({ problems }) => problems.length === 0)?.headers;
  const common = {
    headers: { ...successHeaders, ...everywhere.headers },
    problems: [...everywhere.problems, ...keyed.problems],
  };
  const specific = allResponses
    .map((response) => ({ status: response.status, ...omitCommon(response, common) }))
    .filter(({ problems }) => problems.length > 0);
  const listShared = (parts: CommonParts) =>
    listProblems(allResponses)
      .filter((type) => parts.problems.includes(type))
      .map((type, index) => html`${index > 0 && ", "}${problems[type].status} ${problemLink(type)}`);
  return html`<h4>Problems</h4>
${
  specific.length > 0 &&
  html`<ul class="problems">${specific.map(({ status, problems: types, headers }) => {
    const special = Object.keys(headers).filter((name) => name !== "Cache-Control");
    return html`
  <li><span class="status failed">${status}</span><div>${types.map(problemLine)}${
    special.length > 0 &&
    html`<p class="form">with ${special.map((name, index) => html`${index > 0 && ", "}<code>${name}</code>`)}</p>`
  }</div></li>`;
  })}
</ul>`
}
<p class="common-problems">${specific.length > 0 ? "Also" : "Only"}, as for any operation: ${listShared(everywhere)}${
    keyed.problems.length > 0 &&
    html`; as for any operation that <a href="#authentication">requires a key</a>: ${listShared(keyed)}`
  }.</p>`;
}

export function problemLink(type: ProblemType): Html {
  return html`<a href="/problems/${type}"><code>${type}</code></a>`;
}

function problemLine(type: ProblemType): Html {
  return html`<p>${problemLink(type)} ${problems[type].title}</p>`;
}

/** `User as application/json or text/csv` */
function bodyType(bodies: readonly BodyDescription[]): Html {
  const types = bodies.map(({ type }, index) => html`${index > 0 && " or "}<code>${type}</code>`);
  return html`${bodies[0] && typeName(bodies[0].schema)} as ${types}`;
}

/** Allows a line break before each slash of a path. */
function breakableSlashes(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`);
}
