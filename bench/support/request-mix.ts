import { hasPlaces, parseTemplate } from "./path-template.ts";
import { newSampleUser, randomSearchText, sampleUser } from "./sample-users.ts";

/** One request as text, and the expected status. */
interface BenchRequest {
  readonly request: string;
  readonly expected: number;
}

type RequestSource = () => BenchRequest;

/** The syntax of request kinds. `80=KIND` gives a kind the weight 80. */
export const requestSyntax = `  one:N      GET /api/users/ID, a random id from 1 to N
  email:N    GET /api/users?email=, the email of a random user from 1 to N
  search     GET /api/users?q=, part of a random name
  create     POST /api/users, a new user each time
  create:STATUS:/PATH  POST /PATH, a new user each time; expects this status
  /PATH      GET /PATH, with a random number from 1 to N in place of {N}, from A to B in place of {A-B}, and
             one of the texts in place of {x|y|z}; equal places get the same value`;

/** Returns a source of random requests with these headers, from kinds such as `80=one:100000`, `20=/api/users?limit=20`. */
export function parseRequestMix(kinds: readonly string[], headers: string): RequestSource {
  const weighted = kinds.map((kind) => {
    const [, weight = "1", text = kind] = /^(\d+)=(.*)$/.exec(kind) ?? [];
    return { weight: Number(weight), next: parse(text, headers) };
  });
  const [first] = weighted;
  if (!first) throw new RangeError(`Give at least one kind of request:\n${requestSyntax}`);
  if (weighted.length === 1) return first.next;
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let drawn = Math.random() * total;
    for (const { weight, next } of weighted) {
      drawn -= weight;
      if (drawn < 0) return next();
    }
    return first.next();
  };
}

function parse(kind: string, headers: string): RequestSource {
  if (kind.startsWith("/")) return gets(kind, headers);
  const [name, number, path] = kind.split(":");
  switch (name) {
    case "one":
      return gets(`/api/users/{${number}}`, headers);
    case "email":
      return () => get(`/api/users?email=${sampleUser(randomId(Number(number))).email}`, headers);
    case "search":
      return () => get(`/api/users?limit=20&q=${randomSearchText()}`, headers);
    case "create":
      return creates(path ?? "/api/users", Number(number ?? 201), headers);
    default:
      throw new RangeError(`${kind} is not a kind of request:\n${requestSyntax}`);
  }
}

function randomId(users: number): number {
  return 1 + Math.floor(Math.random() * users);
}

function gets(path: string, headers: string): RequestSource {
  const constant = get(path, headers);
  if (!hasPlaces(path)) return () => constant;
  const fill = parseTemplate(path);
  return () => get(fill(Math.random), headers);
}

function get(path: string, headers: string): BenchRequest {
  return { request: `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, expected: 200 };
}

function creates(path: string, expected: number, headers: string): RequestSource {
  const tag = `new.${Date.now().toString(36)}.${process.pid}`;
  let number = 0;
  return () => {
    const body = JSON.stringify(newSampleUser(++number, tag));
    const head = `POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    return { request: `${head}\r\n\r\n${body}`, expected };
  };
}
