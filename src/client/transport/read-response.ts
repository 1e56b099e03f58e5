import { ApiError, type Attempt, NetworkError } from "../errors.ts";
import { hasFields } from "../has-fields.ts";
import type { Problem } from "../service-types.ts";

/** Larger response bodies throw. */
const MAX_BYTES = 64 * 1024 * 1024;
const EXCERPT_CHARACTERS = 120;

/** The JSON of a successful response; undefined if its body is empty. */
export async function readJson(response: Response, attempt: Attempt): Promise<unknown> {
  const text = await readText(response, attempt);
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(attempt, response, `the response is not JSON: ${excerpt(text)}`, undefined, { cause });
  }
}

/** The error for a response that is not a success. */
export async function readApiError(response: Response, attempt: Attempt): Promise<ApiError> {
  const text = await readText(response, attempt);
  const problem = parseProblem(text);
  const redirect = response.type === "opaqueredirect" && "the redirect was not followed";
  const reason = problem ? (problem.detail ?? problem.title) : text && excerpt(text);
  return new ApiError(
    attempt,
    response,
    reason || redirect || response.statusText || "no reason given",
    problem,
  );
}

/** Reads the body chunk by chunk, to limit its size and to detect a body that is cut off. */
async function readText(response: Response, attempt: Attempt): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  // Invalid UTF-8 in a success throws. In an error page, the readable part is enough.
  const decoder = new TextDecoder("utf-8", { fatal: response.ok });
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new NetworkError(attempt, "the response was cut off", cause);
      });
      try {
        text += decoder.decode(value, { stream: !done });
      } catch (cause) {
        throw new ApiError(attempt, response, "the response is not UTF-8", undefined, { cause });
      }
      if (done) return text;
      bytes += value.length;
      if (bytes > MAX_BYTES) {
        throw new ApiError(attempt, response, `the response is larger than ${MAX_BYTES} bytes`);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parseProblem(text: string): Problem | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return hasFields<Problem>(value, { type: "string", title: "string" }) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The beginning of a text, such as a proxy's error page, on one line and without tags. */
function excerpt(text: string): string {
  const plain = text
    .slice(0, 4096)
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  return JSON.stringify(plain.length > EXCERPT_CHARACTERS ? `${plain.slice(0, EXCERPT_CHARACTERS)}…` : plain);
}
