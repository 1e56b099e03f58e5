import { until } from "./until.ts";

/** The status, or the problem, such as "403 cross-site". */
export async function describeResponse(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "application/problem+json") return String(response.status);
  const { type }: { type: string } = await response.json();
  return `${response.status} ${type.replace("/problems/", "")}`;
}

/** Repeats a request until it ends as expected: a node learns about changes of other nodes within a second. */
export async function waitForResponse(expected: string, send: () => Promise<Response>): Promise<void> {
  let actual = "";
  await until(
    async () => {
      actual = await describeResponse(await send());
      return actual === expected;
    },
    () => `${expected}, but the last response is ${actual}`,
  );
}
