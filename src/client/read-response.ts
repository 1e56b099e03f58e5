import { ApiError, type Attempt, NetworkError } from "./errors.ts";
import { hasFields } from "./has-fields.ts";
import type { Problem } from "./types.ts";

/** Larger answers than this are not read to their end. */
const MAX_BYTES = 64 * 1024 * 1024;
const EXCERPT_CHARACTERS = 120;

/** The JSON of a success, undefined where there is none. */
export async function readJson(response: Response, attempt: Attempt): Promise<unknown> {
  const text = await readText(response, attempt);
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(attempt, response, `the answer is no JSON: ${excerpt(text)}`, undefined, { cause });
  }
}

/** What a service has to say that did not do as asked. */
export async function readApiError(response: Response, attempt: Attempt): Promise<ApiError> {
  const text = await readText(response, attempt);
  const problem = parseProblem(text);
  const elsewhere = response.type === "opaqueredirect" && "redirects elsewhere, which is not followed";
  const what = problem ? (problem.detail ?? problem.title) : text && excerpt(text);
  return new ApiError(
    attempt,
    response,
    what || elsewhere || response.statusText || "no reason given",
    problem,
  );
}

/** Read by hand, to end what would never end, and to tell an answer that breaks off from one that is whole. */
async function readText(response: Response, attempt: Attempt): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  // A success that is damaged is none; of a page that says what went wrong, what can be read will do.
  const decoder = new TextDecoder("utf-8", { fatal: response.ok });
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new NetworkError(attempt, "the answer broke off", cause);
      });
      try {
        text += decoder.decode(value, { stream: !done });
      } catch (cause) {
        throw new ApiError(attempt, response, "the answer is no UTF-8", undefined, { cause });
      }
      if (done) return text;
      bytes += value.length;
      if (bytes > MAX_BYTES) {
        throw new ApiError(attempt, response, `the answer is larger than ${MAX_BYTES} bytes`);
      }
    }
  } finally {
    reader.cancel().catch(() => undefined);
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

/** The beginning of a text on one line, such as a proxy's page, without its tags. */
function excerpt(text: string): string {
  const plain = text
    .slice(0, 4096)
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  return JSON.stringify(plain.length > EXCERPT_CHARACTERS ? `${plain.slice(0, EXCERPT_CHARACTERS)}…` : plain);
}
