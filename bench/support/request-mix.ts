import { newSampleUser, randomSearchText, sampleUser } from "./sample-users.ts";

/** One request, as its bytes, and the status that it is to be answered with. */
interface BenchRequest {
  readonly request: string;
  readonly expected: number;
}

type RequestSource = () => BenchRequest;

/** How kinds of requests are written; a number and = before one is its weight among several. */
export const requestSyntax = `  one:N      GET /api/users/ID, a random one of 1 to N
  email:N    GET /api/users?email=, that of a random one of N
  search     GET /api/users?q=, a random name
  create     POST /api/users, each another user
  /PATH      GET that path`;

/** What to ask next, with these headers, drawn from kinds of requests such as `80=one:100000`, `20=/api/users?limit=20`. */
export function parseRequestMix(kinds: readonly string[], headers: string): RequestSource {
  const weighted = kinds.map((kind) => {
    const [, weight = "1", text = kind] = /^(\d+)=(.*)$/.exec(kind) ?? [];
    return { weight: Number(weight), ask: parse(text, headers) };
  });
  const [first] = weighted;
  if (!first) throw new RangeError(`Say what to ask:\n${requestSyntax}`);
  if (weighted.length === 1) return first.ask;
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let drawn = Math.random() * total;
    for (const { weight, ask } of weighted) {
      drawn -= weight;
      if (drawn < 0) return ask();
    }
    return first.ask();
  };
}

function parse(kind: string, headers: string): RequestSource {
  if (kind.startsWith("/")) {
    const ask = get(kind, headers);
    return () => ask;
  }
  const [name, users] = kind.split(":");
  const some = () => 1 + Math.floor(Math.random() * Number(users));
  switch (name) {
    case "one":
      return () => get(`/api/users/${some()}`, headers);
    case "email":
      return () => get(`/api/users?email=${sampleUser(some()).email}`, headers);
    case "search":
      return () => get(`/api/users?limit=20&q=${randomSearchText()}`, headers);
    case "create":
      return creates(headers);
    default:
      throw new RangeError(`${kind} is no kind of request:\n${requestSyntax}`);
  }
}

function get(path: string, headers: string): BenchRequest {
  return { request: `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, expected: 200 };
}

function creates(headers: string): RequestSource {
  const tag = `new.${Date.now().toString(36)}.${process.pid}`;
  let number = 0;
  return () => {
    const body = JSON.stringify(newSampleUser(++number, tag));
    const head = `POST /api/users HTTP/1.1\r\n${headers}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return { request: `${head}\r\n\r\n${body}`, expected: 201 };
  };
}
