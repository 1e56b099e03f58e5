import type { ReceivedBody } from "./connection.ts";

/** The most bytes of a response that are stored, as received and as stored. */
export const MAX_RESPONSE_BYTES = 4096;

/** The beginning of a response as text, which is safe to show. */
export interface ResponseText {
  readonly body: string;
  /** Whether the response had more. */
  readonly isCut: boolean;
}

/** Control characters, and those that change the direction or the line of text. Line breaks and tabs stay. */
const UNSAFE = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Decodes UTF-8: bytes that are none become U+FFFD, and so do unsafe characters. Ends between characters. */
export function toResponseText({ bytes, isWhole }: ReceivedBody): ResponseText {
  // A stream holds back the bytes of a character that is not complete.
  const decoded = new TextDecoder().decode(bytes, { stream: !isWhole });
  const text = decoded.replaceAll("\r\n", "\n").replace(UNSAFE, "\ufffd");
  // U+FFFD has up to three times as many bytes as what it replaces.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_RESPONSE_BYTES));
  return { body: text.slice(0, read), isCut: !isWhole || read < text.length };
}
