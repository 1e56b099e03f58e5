import { isObject } from "../../../src/contract/json.ts";
import { keyLimits, scopes } from "../../../src/contract/keys/key.ts";
import { mediaTypes } from "../../../src/contract/operation.ts";
import type { JudgedResponse } from "./judged-response.ts";

/** The codes of errors (RFC 6749, sections 4.1.2.1 and 5.2), with the statuses that they can have. */
const codes: Readonly<Record<string, (status: number) => boolean>> = {
  invalid_request: (status) => status >= 400 && status < 500 && status !== 401,
  invalid_client: (status) => status === 401,
  invalid_grant: (status) => status === 400,
  unauthorized_client: (status) => status === 400,
  unsupported_grant_type: (status) => status === 400,
  invalid_scope: (status) => status === 400,
  temporarily_unavailable: (status) => status === 503 || status === 429,
};

/** The characters of a description (RFC 6749, section 5.2). */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

/** Finds what is wrong with a response below the prefix of OAuth. */
export function judgeToken(response: JudgedResponse): string[] {
  const { status, text, type, header } = response;
  if (text === "" && status < 400) return [];
  const found: string[] = [];
  if (type !== mediaTypes.json) found.push(`a body of type ${type} from OAuth`);
  for (const [name, value] of [
    ["cache-control", "no-store"],
    ["pragma", "no-cache"],
  ] as const) {
    if (header(name) !== value) found.push(`${name} is ${header(name)}`);
  }
  // The body of HEAD.
  if (text === "") return found;
  const document: unknown = JSON.parse(text);
  if (!isObject(document)) return ["the document is not an object"];
  return [...found, ...(status >= 400 ? judgeError(document, response) : judgeIssued(document))];
}

function judgeError(document: object, { status, header }: JudgedResponse): string[] {
  const { error, error_description: description, ...others }: Record<string, unknown> = { ...document };
  const found: string[] = [];
  if (typeof error !== "string" || !codes[error]?.(status)) found.push(`an error ${JSON.stringify(error)}`);
  if (typeof description !== "string" || !DESCRIPTION.test(description))
    found.push("an error without a description");
  if (Object.keys(others).length > 0) found.push(`an error with ${Object.keys(others)}`);
  if (status === 401 && !header("www-authenticate")?.startsWith("Basic "))
    found.push("an error of a client without WWW-Authenticate");
  return found;
}

const knownScopes = new Set<string>(scopes);

function judgeIssued(document: object): string[] {
  const {
    access_token: token,
    token_type: type,
    expires_in: seconds,
    scope,
  }: Record<string, unknown> = { ...document };
  const found: string[] = [];
  if (typeof token !== "string" || !/^[\x21-\x7e]{40,}$/.test(token)) found.push("no access_token");
  if (type !== "Bearer") found.push(`token_type ${JSON.stringify(type)}`);
  if (typeof seconds !== "number" || seconds <= 0 || seconds > keyLimits.accessTokenSeconds)
    found.push(`expires_in ${JSON.stringify(seconds)}`);
  if (typeof scope !== "string" || scope.split(" ").some((each) => !knownScopes.has(each)))
    found.push(`scope ${JSON.stringify(scope)}`);
  return found;
}
