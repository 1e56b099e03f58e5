import { type ProblemType, problems } from "../contract/problems.ts";
import { type Answer, type Description, type Field, type Operation, problemsOf } from "./description.ts";
import { type Html, html, inlineMarkdown, markdown } from "./html.ts";
import { answerSamples, requestSamples, statusLine } from "./samples.ts";
import { fieldList, typeName } from "./schema.ts";
import { tryIt } from "./try-it.ts";

type Everywhere = Description["everywhere"];

const places = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Request headers"],
] as const;

export function methodBadge(method: string): Html {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

/** The text of an operation, with its samples and its form beside it. */
export function operationSection(operation: Operation, everywhere: Everywhere): Html {
  const { id, method, path, summary, description, parameters, body } = operation;
  return html`
<section class="split operation" id="${id}" aria-labelledby="${id}-title">
  <div class="text">
    <h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
    <p class="route">${methodBadge(method)} <code>${breakable(path)}</code></p>
    ${markdown(description)}
    ${places.map(([place, title]) => {
      const fields = parameters.filter((parameter) => parameter.place === place);
      return fields.length > 0 && html`<h4>${title}</h4>${fieldList(fields)}`;
    })}
    ${
      body &&
      html`<h4>Body</h4>
    <p class="form">${typeName(body.schema)} as ${alternatives(body.types)}</p>`
    }
    <h4>Answers</h4>
    ${operation.answers
      .filter((answer) => answer.problems.length === 0)
      .map((answer) => answerText(answer, everywhere))}
    ${problemsText(operation, everywhere)}
  </div>
  <div class="beside">${requestSamples(operation)}${answerSamples(operation)}${tryIt(operation)}</div>
</section>`;
}

function answerText(answer: Answer, everywhere: Everywhere): Html {
  const headers = beyond(answer.headers, everywhere.headers);
  return html`
<div class="answer">
  <p><span class="status">${statusLine(answer.status)}</span> ${inlineMarkdown(answer.description)}${
    answer.body &&
    html` <span class="form">${typeName(answer.body.schema)} as ${alternatives(answer.body.types)}</span>`
  }</p>
  ${headers.length > 0 && fieldList(headers.map((header) => ({ ...header, required: false })))}
</div>`;
}

/** The problems of this operation, status by status, and then those that any operation has. */
function problemsText(operation: Operation, everywhere: Everywhere): Html {
  const usual = operation.answers.find(({ problems }) => problems.length === 0)?.headers ?? [];
  const own = operation.answers.flatMap((answer) => {
    const types = answer.problems.filter((type) => !everywhere.problems.includes(type));
    return types.length > 0 ? [{ ...answer, types }] : [];
  });
  const anyway = problemsOf(operation).filter((type) => everywhere.problems.includes(type));
  return html`<h4>Problems</h4>
${
  own.length > 0 &&
  html`<ul class="problems">${own.map(({ status, types, headers }) => {
    const special = beyond(headers, [...everywhere.headers, ...usual]).filter(
      ({ name }) => name !== "Cache-Control",
    );
    return html`
  <li><span class="status failed">${status}</span><div>${types.map(problemLine)}${
    special.length > 0 &&
    html`<p class="form">with ${special.map(({ name }, index) => html`${index > 0 && ", "}<code>${name}</code>`)}</p>`
  }</div></li>`;
  })}
</ul>`
}
<p class="anyway">${own.length > 0 ? "And, as from any operation:" : "Only what any operation can answer:"} ${anyway.map(
    (type, index) => html`${index > 0 && ", "}${problems[type].status} ${problemLink(type)}`,
  )}.</p>`;
}

export function problemLink(type: ProblemType): Html {
  return html`<a href="/problems/${type}"><code>${type}</code></a>`;
}

function problemLine(type: ProblemType): Html {
  return html`<p>${problemLink(type)} ${problems[type].title}</p>`;
}

function beyond(fields: Field[], known: Field[]): Field[] {
  return fields.filter(({ name }) => !known.some((field) => field.name === name));
}

function alternatives(types: string[]): Html {
  return html`${types.map((type, index) => html`${index > 0 && " or "}<code>${type}</code>`)}`;
}

/** A path may break before each of its parts, and nowhere else. */
function breakable(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`);
}
