import { type Field, list, type Operation } from "./description.ts";
import { type Html, html } from "./html.ts";
import { pretty, queryPairs } from "./samples.ts";
import { keyLine } from "./session.ts";

const places = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"],
] as const;

/** A form that sends the operation to this very service. Only the page's script can, so only it shows the form. */
export function tryIt(operation: Operation): Html {
  const { id, method, path, access, parameters, body } = operation;
  return html`
<details class="try" data-try hidden>
  <summary>Try it<span class="hidden">: ${operation.summary}</span></summary>
  <form data-method="${method}" data-path="${path}"${body && html` data-type="${body.types[0]}"`} autocomplete="off">
    ${places.map(([place, title]) => {
      const fields = parameters.filter((parameter) => parameter.place === place);
      return (
        fields.length > 0 &&
        html`<fieldset><legend>${title}</legend>${fields.map((field) => input(id, field))}</fieldset>`
      );
    })}
    ${body && bodyEditor(id, body.examples)}
    ${keyLine(access)}
    <div class="actions">
      <button class="send">Send</button>
      <span class="confirm" hidden>
        <span>This removes data for good.</span>
        <button class="send danger" value="confirmed">Send ${method}</button>
        <button type="button" class="cancel">Cancel</button>
      </span>
    </div>
  </form>
  <div class="outcome" aria-live="polite"></div>
</details>`;
}

function input(operation: string, field: Field): Html {
  const id = `${operation}-${field.name}`;
  const attributes = html`id="${id}" name="${field.name}" data-place="${field.place}"${
    field.exploded && html` data-exploded`
  }${field.required && html` required`}`;
  return html`
<label for="${id}">${field.exploded ? "other fields" : field.name}</label>${control(field, attributes)}`;
}

function control(field: Field, attributes: Html): Html {
  const choices = field.schema.type === "boolean" ? ["true", "false"] : list(field.schema.enum).map(String);
  if (choices.length > 0) {
    return html`<select ${attributes}>${!field.required && html`<option value="">not sent</option>`}${choices.map(
      (choice) =>
        html`<option${field.required && choice === field.example && html` selected`}>${choice}</option>`,
    )}</select>`;
  }
  // An optional example would narrow the first answer to nothing: it is a hint, and only what must be there is filled in.
  const hint = field.example === undefined ? field.schema.default : example(field);
  return html`<input ${attributes} type="text" spellcheck="false"${
    field.schema.type === "integer" && html` inputmode="numeric"`
  }${hint !== undefined && (field.required ? html` value="${String(hint)}"` : html` placeholder="${String(hint)}"`)}>`;
}

function example(field: Field): string {
  return field.exploded ? String(new URLSearchParams(queryPairs(field))) : String(field.example);
}

function bodyEditor(operation: string, examples: [string, unknown][]): Html {
  const id = `${operation}-body`;
  const first = pretty(examples[0]?.[1] ?? {});
  return html`<fieldset><legend>Body</legend>
${
  examples.length > 1 &&
  html`<label for="${id}-example">example</label><select id="${id}-example" data-fills="${id}">${examples.map(
    ([name, value]) => html`<option value="${pretty(value)}">${name.replaceAll("-", " ")}</option>`,
  )}</select>`
}
<label for="${id}" class="hidden">Body</label><textarea id="${id}" data-body rows="${
    first.split("\n").length + 1
  }" spellcheck="false">${first}</textarea></fieldset>`;
}
