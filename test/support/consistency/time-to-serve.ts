import type { TestRequest } from "../call.ts";
import type { Roster } from "../process/roster.ts";

/** A response that takes longer never comes. */
const HANG_MS = 60_000;

export interface ServeOptions {
  readonly service: Pick<Roster, "call" | "until">;
  /** A promise: a response that takes longer is an error. Default: any time. */
  readonly withinMs?: number | undefined;
}

/** Repeats requests until the service has created, read and deleted a user. Returns the milliseconds. */
export async function timeToServe(options: ServeOptions): Promise<number> {
  const begin = performance.now();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const request = { method: "POST", json: { name: "Probe" }, headers };
  const created = await repeat(options, "/api/users", request, [201]);
  const path = `/api/users/${JSON.parse(created).id}`;
  await repeat(options, path, {}, [200]);
  // 404: an earlier attempt has deleted the user, and its response was lost.
  await repeat(options, path, { method: "DELETE" }, [204, 404]);
  return Math.round(performance.now() - begin);
}

/** Repeats a request until it succeeds, and returns the response body. */
async function repeat(
  { service, withinMs = Number.POSITIVE_INFINITY }: ServeOptions,
  path: string,
  request: TestRequest,
  expected: readonly number[],
): Promise<string> {
  const title = `${request.method ?? "GET"} ${path}`;
  let last = "";
  const attempt = async () => {
    const begin = performance.now();
    const { status, text } = await service
      .call(path, { ...request, signal: AbortSignal.timeout(HANG_MS) })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (expected.includes(status)) return { text };
    last = `${status} ${text}`;
    const ms = Math.round(performance.now() - begin);
    if (ms > withinMs) throw new Error(`${title} took ${ms} ms: ${last}`);
    const mayRetry = [0, 503].includes(status) || text.includes("/problems/idempotency-in-flight");
    if (!mayRetry) throw new Error(`${title}: ${last}`);
    return undefined;
  };
  const { text } = await service.until(attempt, () => `${title} succeeds: ${last}`);
  return text;
}
