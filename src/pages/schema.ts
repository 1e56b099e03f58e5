import type { JsonSchema } from "../contract/json-schema.ts";
import { schemaName } from "../contract/schema-names.ts";
import type { Headers } from "./description.ts";
import { type Html, html, inlineMarkdown } from "./html.ts";

/** Longer patterns are not shown: they explain nothing to a reader. */
const READABLE_PATTERN = 40;

export function schemaAnchor(name: string): string {
  return `schema-${name.toLowerCase()}`;
}

/** A type in words: `integer`, `array of User`, `string or null`. */
export function typeName(schema: JsonSchema): Html {
  const name = schemaName(schema);
  if (name) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.anyOf) {
    return html`${schema.anyOf.map((choice, index) => html`${index > 0 && " or "}${typeName(choice)}`)}`;
  }
  if (schema.items) return html`array of ${typeName(schema.items)}`;
  return html`${schema.type ?? "any"}${schema.format && schema.format !== "int64" && html`, ${schema.format}`}`;
}

/** The limits of a value, in words. */
function bounds(schema: JsonSchema, description: string): Html[] {
  const { minimum, maximum, minLength, maxLength, pattern, enum: choices = [] } = schema;
  return [
    range(unlessSafe(minimum), unlessSafe(maximum), ""),
    range(minLength, maxLength, " characters"),
    choices.length > 0 &&
      html`one of ${choices.map((choice, index) => html`${index > 0 && ", "}<code>${String(choice)}</code>`)}`,
    // A format or a description explains the pattern in words.
    pattern !== undefined &&
      pattern.length <= READABLE_PATTERN &&
      schema.format === undefined &&
      description === "" &&
      html`matches <code>${pattern}</code>`,
    schema.default !== undefined && html`default <code>${String(schema.default)}</code>`,
  ].filter((bound) => bound !== false);
}

/** The limits of exact integers apply to every number: they are not worth a word. */
function unlessSafe(limit: number | undefined): number | undefined {
  return Math.abs(limit ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function range(minimum: number | undefined, maximum: number | undefined, unit: string): Html | false {
  if (minimum !== undefined && maximum !== undefined) return html`${minimum} to ${maximum}${unit}`;
  if (minimum === 1 && unit) return html`not empty`;
  if (minimum !== undefined) return html`at least ${minimum}${unit}`;
  return maximum !== undefined && html`at most ${maximum}${unit}`;
}

interface Field {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export function headerList(headers: Headers): Html {
  return fieldList(
    Object.entries(headers).map(([name, { description, schema }]) => ({ name, description, schema })),
  );
}

/** One row per field: name, type, description and limits. */
export function fieldList(fields: readonly Field[]): Html {
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

function boundsLine(schema: JsonSchema, description: string): Html | false {
  const parts = bounds(schema, description);
  return (
    parts.length > 0 &&
    html`<span class="bounds">${parts.map((part, index) => html`${index > 0 && "; "}${part}`)}</span>`
  );
}

/** The section of a named schema. */
export function schemaSection(name: string, schema: JsonSchema): Html {
  const { properties = {}, required = [], propertyNames } = schema;
  const fields = Object.entries(properties).map(([field, property]) => ({
    name: field,
    description: property.description ?? "",
    required: required.includes(field),
    schema: property,
  }));
  const id = schemaAnchor(name);
  return html`
<section class="schema" id="${id}" aria-labelledby="${id}-title">
  <h3 id="${id}-title"><a href="#${id}">${name}</a></h3>
  ${schema.description && html`<p>${inlineMarkdown(schema.description)}</p>`}
  ${fields.length > 0 ? fieldList(fields) : boundsLine(schema, schema.description ?? "")}
  ${fields.length > 0 && schema.additionalProperties && html`<p class="open">${customFields(propertyNames)}</p>`}
</section>`;
}

function customFields({ pattern: namePattern, not }: JsonSchema = {}): Html {
  const forbidden = not?.enum ?? [];
  const pattern = namePattern && html` Their names match <code>${namePattern}</code>`;
  const forbiddenNames = forbidden.map(
    (name, index) => html`${index > 0 && ", "}<code>${String(name)}</code>`,
  );
  return html`Other fields are allowed.${pattern}${
    forbidden.length > 0 && html`. These names are not allowed: ${forbiddenNames}`
  }${pattern && "."}`;
}
