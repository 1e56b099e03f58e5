import type { ProblemDocument } from "../../src/contract/problems.ts";
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

/** A response whose body has been read. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The problem document, if the response has one. */
  readonly problem: ProblemDocument | undefined;
}

export async function readResponse(sent: Promise<Response>): Promise<ReadResponse> {
  const response = await sent;
  const text = await response.text();
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return {
    status: response.status,
    headers: response.headers,
    text,
    problem: isProblem && text !== "" ? JSON.parse(text) : undefined,
  };
}

/** The status, the problem type, and the JSON Pointers or parameters of its errors. */
export function describeProblem({ status, problem }: ReadResponse): unknown[] {
  const places = problem?.errors?.map(({ pointer, parameter }) => pointer ?? parameter);
  return [status, problem?.type.replace("/problems/", ""), ...(places ? [[...new Set(places)]] : [])];
}
