import { oddNumber, oddText, toBytes } from "./odd-text.ts";
import type { Random } from "./random.ts";

/** Pieces of HTTP that confuse parsers. */
const pieces = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  "\u0000",
  " ",
  "\t",
  ":",
  "\r\n ",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/9.9",
  "HEAD ",
  "BREW ",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "GET http://example.com/api/users HTTP/1.1",
  "CONNECT example.com:443 HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "Host: \r\n",
  "Host: a\r\nHost: b\r\n",
  "Host: évil\r\n",
  "Host: a b\r\n",
  "Host: user@example.com\r\n",
  "Host: [::1\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Content-Length: 5, 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Transfer-Encoding : chunked\r\n",
  "Expect: 100-continue\r\n",
  "Expect: something\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
  "Upgrade: h2c\r\n",
  "Connection: close\r\n",
  "Trailer: X-Late\r\n",
  "0\r\n\r\n",
  "0\r\nX-Late: 1\r\n\r\n",
  "ffffffffffffffff\r\n",
  "-1\r\n",
  "5;extension=1\r\n",
  "%",
  "%0d%0aSet-Cookie:%20a=b",
  "\u0080\u00ff",
  "\u00ed\u00a0\u0080",
  "\u00c0\u0080",
  "\u00fe\u00ff",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
] as const;

type Mutation = (text: string, random: Random) => string;

const splice = (text: string, at: number, remove: number, insert = "") =>
  text.slice(0, at) + insert + text.slice(at + remove);

const mutations: Record<string, Mutation> = {
  "flip a bit": (text, random) => {
    const at = random.below(text.length);
    return splice(text, at, 1, String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))));
  },
  "replace a byte": (text, random) =>
    splice(text, random.below(text.length), 1, String.fromCharCode(random.below(256))),
  "delete bytes": (text, random) => splice(text, random.below(text.length), random.between(1, 20)),
  "repeat bytes": (text, random) => {
    const at = random.below(text.length);
    const part = text.slice(at, at + random.between(1, 40));
    return splice(text, at, 0, part.repeat(random.chance(0.03) ? 500 : random.between(1, 4)));
  },
  "insert a piece": (text, random) => splice(text, random.below(text.length), 0, random.pick(pieces)),
  "insert a header": (text, random) => {
    const at = text.indexOf("\r\n") + 2;
    return splice(text, at, 0, random.chance(0.8) ? random.pick(pieces) : `${toBytes(oddText(random))}\r\n`);
  },
  "insert text": (text, random) => splice(text, random.below(text.length), 0, toBytes(oddText(random))),
  "change a number": (text, random) => {
    const numbers = [...text.matchAll(/\d+/g)];
    const number = numbers[random.below(numbers.length)];
    return number ? splice(text, number.index, number[0].length, toBytes(oddNumber(random))) : text;
  },
  "swap two parts": (text, random) => {
    const [a = 0, b = 0, c = 0] = [0, 0, 0].map(() => random.below(text.length)).sort((x, y) => x - y);
    return text.slice(0, a) + text.slice(b, c) + text.slice(a, b) + text.slice(c);
  },
  "remove a line": (text, random) => {
    const lines = text.split("\r\n");
    lines.splice(random.below(lines.length), 1);
    return lines.join("\r\n");
  },
  "repeat a line": (text, random) => {
    const lines = text.split("\r\n");
    const line = lines[random.below(lines.length)] ?? "";
    return splice(text, text.indexOf("\r\n") + 2, 0, `${line}\r\n`.repeat(random.chance(0.05) ? 200 : 1));
  },
  "end lines with LF": (text) => text.replaceAll("\r\n", "\n"),
  "add a long header": (text, random) =>
    text.replace("\r\n", `\r\nX-Long: ${"a".repeat(random.pick([1000, 8000, 16_000, 70_000]))}\r\n`),
};
const names = Object.keys(mutations);

/** Changes some bytes of a request. */
export function mutate(random: Random, text: string): string {
  let mutated = text;
  for (let count = random.chance(0.6) ? 1 : random.between(2, 6); count > 0; count--) {
    const name = names[random.below(names.length)] ?? "";
    if (mutated.length > 0) mutated = mutations[name]?.(mutated, random) ?? mutated;
  }
  return mutated;
}

/** Bytes that were never a request. */
export function noise(random: Random): string {
  const part = () =>
    random.chance(0.5)
      ? random.pick(pieces)
      : String.fromCharCode(...random.several(1, 60, () => random.below(256)));
  return random.several(1, 12, part).join("");
}
