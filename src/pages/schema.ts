import { type Field, list, members, type Node, node, referredName } from "./description.ts";
import { type Html, html, inlineMarkdown } from "./html.ts";

/** Above this a pattern explains nothing to a reader; the document has it. */
const READABLE_PATTERN = 40;

export function schemaAnchor(name: string): string {
  return `schema-${name.toLowerCase()}`;
}

/** A type in words: `integer`, `array of User`, `string or null`. */
export function typeName(schema: Node): Html {
  const name = referredName(schema);
  if (name) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const either = list(schema.anyOf).map((one) => typeName(node(one)));
  if (either.length > 0) return html`${either.map((one, index) => (index ? html` or ${one}` : one))}`;
  if (schema.type === "array") return html`array of ${typeName(node(schema.items))}`;
  const format = typeof schema.format === "string" && html`, ${schema.format}`;
  return html`${typeof schema.type === "string" ? schema.type : "any"}${format}`;
}

/** The bounds on a value, each in words. */
function bounds(schema: Node, description: string): Html[] {
  const { minimum, maximum, minLength, maxLength, pattern } = schema;
  const choices = list(schema.enum);
  return [
    range(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ""),
    range(minLength, maxLength, " characters"),
    choices.length > 0 &&
      html`one of ${choices.map((choice, index) => html`${index > 0 && ", "}<code>${String(choice)}</code>`)}`,
    // A format or a description says the same in words.
    typeof pattern === "string" &&
      pattern.length <= READABLE_PATTERN &&
      schema.format === undefined &&
      description === "" &&
      html`matches <code>${pattern}</code>`,
    schema.default !== undefined && html`default <code>${String(schema.default)}</code>`,
  ].filter((bound) => bound !== false);
}

function range(least: unknown, most: unknown, unit: string): Html | false {
  if (typeof least === "number" && typeof most === "number") return html`${least} to ${most}${unit}`;
  if (least === 1 && unit) return html`not empty`;
  if (typeof least === "number") return html`at least ${least}${unit}`;
  return typeof most === "number" && html`at most ${most}${unit}`;
}

/** One row for each field: its name and type, then what it means. */
export function fieldList(fields: Pick<Field, "name" | "description" | "required" | "schema">[]): Html {
  return html`<dl class="fields">${fields.map(
    ({ name, description, required, schema }) => html`
  <div>
    <dt><code>${name}</code> <span class="type">${typeName(schema)}</span>${
      required && html` <span class="required">required</span>`
    }</dt>
    <dd>${inlineMarkdown(description)}${boundsLine(schema, description)}</dd>
  </div>`,
  )}
</dl>`;
}

function boundsLine(schema: Node, description: string): Html | false {
  const parts = bounds(schema, description);
  return (
    parts.length > 0 &&
    html`<span class="bounds">${parts.map((part, index) => html`${index > 0 && "; "}${part}`)}</span>`
  );
}

/** A named schema of the document, with an anchor of its own. */
export function schemaSection(name: string, schema: Node): Html {
  const required = list(schema.required);
  const fields = members(schema.properties).map(([field, member]) => ({
    name: field,
    description: typeof member.description === "string" ? member.description : "",
    required: required.includes(field),
    schema: member,
  }));
  const id = schemaAnchor(name);
  return html`
<section class="schema" id="${id}" aria-labelledby="${id}-title">
  <h3 id="${id}-title"><a href="#${id}">${name}</a></h3>
  ${typeof schema.description === "string" && html`<p>${inlineMarkdown(schema.description)}</p>`}
  ${fieldList(fields)}
  ${schema.additionalProperties === true && html`<p class="open">${ownFields(node(schema.propertyNames))}</p>`}
</section>`;
}

function ownFields(names: Node): Html {
  const refused = list(node(names.not).enum);
  const pattern = typeof names.pattern === "string" && html` Their names match <code>${names.pattern}</code>`;
  const but = refused.map((name, index) => html`${index > 0 && ", "}<code>${String(name)}</code>`);
  return html`Any other field may stand beside these.${pattern}${
    refused.length > 0 && html`; refused are ${but}`
  }${pattern && "."}`;
}
