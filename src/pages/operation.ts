import { type BodyDescription, listRequestBodies } from "../contract/operation.ts";
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

/** Who may call: a key with a scope, any key, or none. */
function accessBadge(access: string): Html {
  if (access === "public") return html`<span class="access">no key</span>`;
  const needs =
    access === "authenticated"
      ? "any key"
      : html`<span class="hidden">takes a key with the scope </span>${access}`;
  return html`<a class="access" href="#authentication">${needs}</a>`;
}

/** The text of an operation, with its samples and its form beside it. */
export function operationSection(operation: DescribedOperation, { everywhere, keyed }: Description): Html {
  const { id, method, path, summary, description, access, parameters } = operation;
  const bodies = listRequestBodies(operation);
  const atTheDoor = access === "public" ? { headers: {}, problems: [] } : keyed;
  return html`
<section class="split operation" id="${id}" aria-labelledby="${id}-title">
  <div class="text">
    <h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
    <p class="route">${methodBadge(method)} <code>${breakableSlashes(path)}</code> ${accessBadge(access)}</p>
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
    <h4>Answers</h4>
    ${operation.allResponses
      .filter((response) => response.problems.length === 0)
      .map((response) =>
        responseText(response, omitCommon(omitCommon(response, everywhere), atTheDoor).headers),
      )}
    ${problemsText(operation, everywhere, atTheDoor)}
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

/** The problems of this operation, status by status, and then those that it shares with others. */
function problemsText(
  { allResponses }: DescribedOperation,
  everywhere: CommonParts,
  keyed: CommonParts,
): Html {
  const usual = allResponses.find(({ problems }) => problems.length === 0)?.headers;
  const common = {
    headers: { ...usual, ...everywhere.headers },
    problems: [...everywhere.problems, ...keyed.problems],
  };
  const own = allResponses
    .map((response) => ({ status: response.status, ...omitCommon(response, common) }))
    .filter(({ problems }) => problems.length > 0);
  const shared = (among: CommonParts) =>
    listProblems(allResponses)
      .filter((type) => among.problems.includes(type))
      .map((type, index) => html`${index > 0 && ", "}${problems[type].status} ${problemLink(type)}`);
  return html`<h4>Problems</h4>
${
  own.length > 0 &&
  html`<ul class="problems">${own.map(({ status, problems: types, headers }) => {
    const special = Object.keys(headers).filter((name) => name !== "Cache-Control");
    return html`
  <li><span class="status failed">${status}</span><div>${types.map(problemLine)}${
    special.length > 0 &&
    html`<p class="form">with ${special.map((name, index) => html`${index > 0 && ", "}<code>${name}</code>`)}</p>`
  }</div></li>`;
  })}
</ul>`
}
<p class="common-problems">${own.length > 0 ? "And" : "Only"}, as from any operation: ${shared(everywhere)}${
    keyed.problems.length > 0 &&
    html`; as from any that <a href="#authentication">takes a key</a>: ${shared(keyed)}`
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

/** A path may break before each of its parts, and nowhere else. */
function breakableSlashes(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`);
}
