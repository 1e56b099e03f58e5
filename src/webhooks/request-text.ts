import { signedHeaders } from "./signature.ts";

const HEAD_END = "\r\n\r\n";

export interface Message {
  readonly url: string;
  readonly id: string;
  /** When the attempt began, in milliseconds since 1970. */
  readonly time: number;
  readonly body: string;
  /** One signature for each. */
  readonly secrets: readonly string[];
}

/** The request of an attempt, without the header that continues a trace. The same message has the same text. */
export function renderRequest(url: URL, { id, time, body, secrets }: Message, userAgent: string): string {
  const signed = signedHeaders({ id, timestamp: Math.floor(time / 1000), body }, secrets);
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  text += `content-type: application/json\r\nuser-agent: ${userAgent}\r\naccept: */*\r\n`;
  text += `content-length: ${Buffer.byteLength(body)}\r\n`;
  for (const [name, value] of Object.entries(signed)) text += `${name}: ${value}\r\n`;
  return `${text}\r\n${body}`;
}

export function addHeader(request: string, name: string, value: string): string {
  const end = request.indexOf(HEAD_END);
  return `${request.slice(0, end)}\r\n${name}: ${value}${request.slice(end)}`;
}

/** The headers and the body in the text of a request. */
export function parseRequest(request: string): {
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  const end = request.indexOf(HEAD_END);
  const [, ...lines] = request.slice(0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return { headers: Object.fromEntries(headers), body: request.slice(end + HEAD_END.length) };
}
