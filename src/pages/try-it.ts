import { type BodyDescription, listRequestBodies, type Parameter } from "../contract/operation.ts";
import type { DescribedOperation } from "./description.ts";
import { type Html, html } from "./html.ts";
import { firstExample, formatBody, queryPairs } from "./samples.ts";
import { keyAgain, keyLine } from "./session.ts";

const places = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
] as const;

/** A form that sends a request to this service. The script shows the form: without it, the form cannot send. */
export function tryIt(operation: DescribedOperation): Html {
  const { id, method, path, parameters } = operation;
  const [form] = listRequestBodies(operation);
  return html`
<details class="try" data-try hidden>
  <summary>Try it<span class="hidden">: ${operation.summary}</span></summary>
  <form data-method="${method}" data-path="${path}"${form && html` data-type="${form.type}"`} autocomplete="off">
    ${places.map(([place, title]) => {
      const fields = parameters.filter((parameter) => parameter.in === place);
      return (
        fields.length > 0 &&
        html`<fieldset><legend>${title}</legend>${fields.map((parameter) => input(id, parameter))}</fieldset>`
      );
    })}
    ${form && bodyEditor(id, form)}
    ${operation.keyOnly && keyAgain(id)}
    ${keyLine(operation)}
    <div class="actions">
      <button class="send">Send</button>
      <span class="confirm" hidden>
        <span>This deletes data of the service.</span>
        <button class="send danger" value="confirmed">Send ${method}</button>
        <button type="button" class="cancel">Cancel</button>
      </span>
    </div>
  </form>
  <div class="outcome" aria-live="polite"></div>
</details>`;
}

function input(operation: string, parameter: Parameter): Html {
  const id = `${operation}-${parameter.name}`;
  const attributes = html`id="${id}" name="${parameter.name}" data-place="${parameter.in}"${
    parameter.explode && html` data-explode`
  }${parameter.required && html` required`}`;
  return html`
<label for="${id}">${parameter.explode ? "other fields" : parameter.name}</label>${control(parameter, attributes)}`;
}

function control(parameter: Parameter, attributes: Html): Html {
  const choices =
    parameter.schema.type === "boolean" ? ["true", "false"] : (parameter.schema.enum ?? []).map(String);
  if (choices.length > 0) {
    return html`<select ${attributes}>${!parameter.required && html`<option value="">not sent</option>`}${choices.map(
      (choice) =>
        html`<option${parameter.required && choice === parameter.example && html` selected`}>${choice}</option>`,
    )}</select>`;
  }
  // Fill in only required parameters. An optional filter with an example value would match no user: show a placeholder.
  const hint = parameter.example === undefined ? parameter.schema.default : example(parameter);
  return html`<input ${attributes} type="text" spellcheck="false"${
    parameter.schema.type === "integer" && html` inputmode="numeric"`
  }${hint !== undefined && (parameter.required ? html` value="${String(hint)}"` : html` placeholder="${String(hint)}"`)}>`;
}

function example(parameter: Parameter): string {
  return parameter.explode ? String(new URLSearchParams(queryPairs(parameter))) : String(parameter.example);
}

function bodyEditor(operation: string, form: BodyDescription): Html {
  const id = `${operation}-body`;
  const first = formatBody(firstExample(form) ?? {});
  const examples = Object.entries(form.examples);
  return html`<fieldset><legend>Body</legend>
${
  examples.length > 1 &&
  html`<label for="${id}-example">example</label><select id="${id}-example" data-fills="${id}">${examples.map(
    ([name, value]) => html`<option value="${formatBody(value)}">${name}</option>`,
  )}</select>`
}
<label for="${id}" class="hidden">Body</label><textarea id="${id}" data-body rows="${
    first.split("\n").length + 1
  }" spellcheck="false">${first}</textarea></fieldset>`;
}
