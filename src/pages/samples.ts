import { STATUS_CODES } from "node:http";
import {
  type BodyDescription,
  listRequestBodies,
  mediaTypes,
  type Parameter,
} from "../contract/operation.ts";
import type { DescribedResponse } from "../contract/responses.ts";
import type { DescribedOperation } from "./description.ts";
import { type Html, html } from "./html.ts";

/** The origin in the samples. The page's script replaces it with the service's origin. */
export const sampleOrigin = "http://localhost:3000";

/** How samples send a key. They read it from the environment: keys do not belong in source code. */
export const sampleKey = {
  shell: '-H "Authorization: Bearer $ROSTER_API_KEY"',
  typescript: `Authorization: \`Bearer \${env.ROSTER_API_KEY}\``,
  typescriptImport: 'import { env } from "node:process";',
} as const;

export interface Sample {
  label: string;
  language: "shell" | "typescript" | "json" | "http" | "text";
  text: string;
}

/** Samples in tabs, or one below the other without the script. Panels with the same `name` switch tabs together. */
export function samplePanel(name: string, samples: readonly Sample[]): Html {
  return html`
<div class="samples" data-samples="${name}">${samples.map(
    ({ label, language, text }) => html`
  <figure>
    <figcaption>${label}</figcaption>
    <pre><code data-language="${language}">${text}</code></pre>
  </figure>`,
  )}
</div>`;
}

export function requestSamples(operation: DescribedOperation): Html {
  const request = exampleRequest(operation);
  const reader = bodyMethod(operation);
  return samplePanel("Request", [
    { label: "curl", language: "shell", text: curl(request, reader) },
    { label: "TypeScript", language: "typescript", text: typescript(request, reader) },
  ]);
}

export function responseSamples(operation: DescribedOperation): Html {
  return samplePanel(
    "Response",
    listSuccesses(operation).map(({ status, bodies }) => {
      const label = statusLine(status);
      const example = firstExample(bodies[0]);
      if (example === undefined) return { label, language: "text", text: "No body." };
      const language = typeof example === "string" ? "text" : "json";
      return { label, language, text: formatBody(example) };
    }),
  );
}

/** `404 Not Found` */
export function statusLine(status: string | number): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The example of a body: text as it is, any other value as JSON. */
export function formatBody(example: unknown): string {
  return typeof example === "string" ? example : formatJson(example);
}

/** The example as query parameters: several for an exploded parameter. */
export function queryPairs({ name, example }: Parameter): [string, string][] {
  if (typeof example !== "object") return [[name, String(example)]];
  return Object.entries(example).flatMap(([field, values]) =>
    values.map((value): [string, string] => [field, value]),
  );
}

export function firstExample(body: BodyDescription | undefined): unknown {
  return Object.values(body?.examples ?? {})[0];
}

interface Request {
  method: string;
  url: string;
  /** Whether the request sends an API key. */
  keyed: boolean;
  headers: [string, string][];
  body: unknown;
}

function exampleRequest(operation: DescribedOperation): Request {
  const { method, path, access, parameters } = operation;
  const [body] = listRequestBodies(operation);
  const shown = parameters.filter(({ example }) => example !== undefined);
  const query = new URLSearchParams(
    shown.filter((parameter) => parameter.in === "query").flatMap(queryPairs),
  );
  const filled = shown
    .filter((parameter) => parameter.in === "path")
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path);
  // Without If-None-Match: the response to a conditional read is 304, and the sample shows 200.
  const conditions = method === "GET" ? [] : shown.filter((parameter) => parameter.in === "header");
  const headers = conditions.map(({ name, example }): [string, string] => [name, String(example)]);
  if (body) headers.unshift(["Content-Type", body.type]);
  return {
    method,
    url: sampleOrigin + filled + (query.size > 0 ? `?${query}` : ""),
    keyed: access !== "public",
    headers,
    body: firstExample(body),
  };
}

function curl({ method, url, keyed, headers, body }: Request, reader: string): string {
  const parts = [method === "GET" ? `curl ${shellWord(url)}` : `curl -X ${method} ${shellWord(url)}`];
  if (keyed) parts.push(sampleKey.shell);
  for (const [name, value] of headers) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
  // With -d, curl would remove line breaks.
  const option = typeof body === "string" ? "--data-binary" : "-d";
  if (body !== undefined) parts.push(`${option} ${shellWord(formatBody(body))}`);
  // JSON ends without a line break, also that of problems.
  if (reader !== "text") parts.push("-w '\\n'");
  return parts.join(" \\\n  ");
}

function shellWord(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function typescript({ method, url, keyed, headers, body }: Request, reader: string): string {
  const fields = headers.map(([name, value]) => `${propertyName(name)}: ${literal(value)}`);
  if (keyed) fields.unshift(sampleKey.typescript);
  const options = [
    method !== "GET" && `method: ${literal(method)},`,
    fields.length > 0 && `headers: {\n${fields.map((field) => `    ${field},\n`).join("")}  },`,
    typeof body === "string" && `body: ${literal(body)},`,
    typeof body === "object" && `body: JSON.stringify(${formatJson(body).replaceAll("\n", "\n  ")}),`,
  ].filter((option) => option !== false);
  const init = options.length > 0 ? `, {\n  ${options.join("\n  ")}\n}` : "";
  return [
    ...(keyed ? [sampleKey.typescriptImport, ""] : []),
    `const url = ${literal(url)};`,
    `const response = await fetch(url${init});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...(reader ? [`const data = await response.${reader}();`] : []),
  ].join("\n");
}

function bodyMethod(operation: DescribedOperation): string {
  const [body] = listSuccesses(operation)[0]?.bodies ?? [];
  if (!body) return "";
  return isJson(body) ? "json" : "text";
}

/** The responses without problems. JSON first: the sample request gets that response. */
function listSuccesses({ allResponses }: DescribedOperation): DescribedResponse[] {
  return allResponses
    .filter(({ problems }) => problems.length === 0)
    .sort((a, b) => Number(isJson(b.bodies[0])) - Number(isJson(a.bodies[0])));
}

function isJson(body: BodyDescription | undefined): boolean {
  return body?.type === mediaTypes.json;
}

function literal(text: string): string {
  return text.includes('"') && !/['\\\n]/.test(text) ? `'${text}'` : JSON.stringify(text);
}

function propertyName(name: string): string {
  return /^[A-Za-z]+$/.test(name) ? name : literal(name);
}
