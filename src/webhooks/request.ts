import { signedHeaders } from "./signature.ts";

export interface Message {
  readonly url: string;
  readonly id: string;
  readonly body: string;
  /** One signature for each. */
  readonly secrets: readonly string[];
}

/** What all requests to a URL have in common. */
export interface RequestTemplate {
  readonly url: URL;
  /** The request line and the first headers. */
  readonly start: string;
}

/** Undefined if the URL is not valid. */
export function createTemplate(text: string, userAgent: string): RequestTemplate | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    "content-type: application/json",
    `user-agent: ${userAgent}`,
    "accept: */*",
  ];
  return { url, start: lines.map((line) => `${line}\r\n`).join("") };
}

/** `now` is in milliseconds since 1970. */
export function renderRequest(
  { start }: RequestTemplate,
  { id, body, secrets }: Message,
  now: number,
  traceparent: string | undefined,
): string {
  const signed = signedHeaders({ id, timestamp: Math.floor(now / 1000), body }, secrets);
  let text = `${start}content-length: ${Buffer.byteLength(body)}\r\n`;
  if (traceparent !== undefined) text += `traceparent: ${traceparent}\r\n`;
  for (const [name, value] of Object.entries(signed)) text += `${name}: ${value}\r\n`;
  return `${text}\r\n${body}`;
}
