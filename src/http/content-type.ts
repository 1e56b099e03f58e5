import { listRequestTypes, type Operation, resolveMediaType } from "../contract/operation.ts";
import { readContentCoding } from "./compression/request-body.ts";
import { HttpProblemError } from "./problem-response.ts";

/** The header that tells which types a method accepts. PUT has none. */
const acceptHeaderNames: Readonly<Record<string, string>> = { POST: "accept-post", PATCH: "accept-patch" };

/** What OPTIONS, and the problem of another type, say about the body of an operation. */
export function acceptHeaders(operation: Operation): Record<string, string> {
  const name = acceptHeaderNames[operation.method];
  const types = listRequestTypes(operation);
  return name === undefined || types.length === 0 ? {} : { [name]: types.join(", ") };
}

/**
 * Returns a function that finds the type of a request body. It throws `unsupported-media-type` unless the operation has
 * the type, the text is UTF-8, and the content coding is supported. If the caller names the type elsewhere, as `selected`,
 * the type in the header does not count.
 */
export function createTypeCheck(operation: Operation): (request: Request, selected?: string) => string {
  const types = listRequestTypes(operation);
  const elsewhere = operation.request?.elsewhere;
  const headers = acceptHeaders(operation);
  const unsupported = (detail: string) => new HttpProblemError("unsupported-media-type", detail, headers);
  return (request, selected) => {
    const header = request.headers.get("content-type") ?? selected ?? null;
    if (header === null) throw unsupported(`Content-Type is required. Send ${types.join(" or ")}.`);
    const [name = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
    const type = selected ?? resolveMediaType(name);
    if (!types.includes(type)) {
      const hint = elsewhere?.types.includes(type) ? ` ${elsewhere.hint}` : "";
      throw unsupported(
        `Content-Type ${name || "without a type"} is not supported. Send ${types.join(" or ")}.${hint}`,
      );
    }
    const charset = parameters
      .find((parameter) => parameter.startsWith("charset="))
      ?.slice("charset=".length);
    if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
      throw unsupported("The charset must be UTF-8.");
    }
    readContentCoding(request);
    return type;
  };
}
