import type { Roster } from "../process/roster.ts";

/** A request that fails for this long is an error. */
const RETRY_LIMIT_MS = 30_000;

interface Options {
  readonly service: Pick<Roster, "call">;
  /** A response that takes longer is an error. */
  readonly withinMs: number;
}

/** Milliseconds until the service has created, read and deleted a user. */
export async function timeToServe(options: Options): Promise<number> {
  const begin = performance.now();
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const body = JSON.stringify({ name: "Probe" });
  const created = await repeat(options, "/api/users", { method: "POST", headers, body }, [201]);
  const path = `/api/users/${JSON.parse(created).id}`;
  await repeat(options, path, {}, [200]);
  // 404: an earlier attempt has deleted the user, and its response was lost.
  await repeat(options, path, { method: "DELETE" }, [204, 404]);
  return Math.round(performance.now() - begin);
}

/** Repeats a request until it succeeds, and returns the response body. */
async function repeat(
  { service, withinMs }: Options,
  path: string,
  init: RequestInit,
  expected: readonly number[],
): Promise<string> {
  const deadline = performance.now() + RETRY_LIMIT_MS;
  let last = "";
  while (performance.now() < deadline) {
    const begin = performance.now();
    try {
      const response = await service.call(path, { ...init, signal: AbortSignal.timeout(withinMs + 10_000) });
      const text = await response.text();
      if (expected.includes(response.status)) return text;
      last = `${response.status} ${text}`;
      const mayRetry = response.status === 503 || text.includes("/problems/idempotency-in-flight");
      if (!mayRetry) throw new UnexpectedResponse(last);
    } catch (error) {
      if (error instanceof UnexpectedResponse) throw error;
      last = String(error);
    }
    const ms = Math.round(performance.now() - begin);
    if (ms > withinMs) throw new Error(`${init.method ?? "GET"} ${path} took ${ms} ms: ${last}`);
    await Bun.sleep(10 + Math.random() * 50);
  }
  throw new Error(`${init.method ?? "GET"} ${path} did not succeed within ${RETRY_LIMIT_MS} ms: ${last}`);
}

class UnexpectedResponse extends Error {}
