import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, createClient, NetworkError, requestJson, TimeoutError } from "../../client/index.ts";
import type { ProblemType } from "../../contract/problems.ts";
import { failures } from "../texts/index.ts";
import { promptAfterSessionEnd } from "./sign-in-prompt.ts";

/** The service that this page came from. */
export const roster = createClient({ retries: 2, onRetry: () => undefined });

/** The same for what the client library has no name for. */
export function request(path: string, init?: Parameters<typeof requestJson>[1]): Promise<unknown> {
  return requestJson(new URL(path, location.origin), { onRetry: () => undefined, ...init });
}

/** Names a request, so that it can be repeated without being done twice. Browsers give UUIDs only where there is TLS. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

export const queryClient = new QueryClient({
  // A session that ends is noticed wherever that happens first.
  queryCache: new QueryCache({ onError: promptIfSignedOut }),
  mutationCache: new MutationCache({ onError: promptIfSignedOut }),
  defaultOptions: {
    // The client library tries again by itself, and knows what may be repeated.
    queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: true, staleTime: 30_000 },
    mutations: { retry: false, networkMode: "always" },
  },
});

/** Whether something of this kind is under way: true at once, where what is shown lags behind by a moment. */
export function isMutating(...kind: string[]): boolean {
  return queryClient.isMutating({ mutationKey: kind }) > 0;
}

/** For calls that go past the queries, such as an import. */
export function promptIfSignedOut(error: unknown): void {
  if (isSignedOut(error)) promptAfterSessionEnd();
}

/** Whether nobody is signed in, or not any more. */
export function isSignedOut(error: unknown): error is ApiError {
  return isProblem(error, "unauthenticated", "key-revoked", "key-expired");
}

/** Whether no answer came, so that nobody knows if the service did what it was asked. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof TimeoutError;
}

export function isProblem(error: unknown, ...types: ProblemType[]): error is ApiError {
  return error instanceof ApiError && types.some((type) => type === error.type);
}

export interface ErrorText {
  readonly title: string;
  readonly text: string;
  readonly requestId?: string | undefined;
  /** The scope that the caller's key lacks. */
  readonly scope?: string | undefined;
}

/** An error in words for a person. */
export function describeError(error: unknown): ErrorText {
  if (error instanceof NetworkError) return failures.offline;
  if (error instanceof TimeoutError) return failures.late;
  if (!(error instanceof ApiError) || !error.problem) return failures.unexpected;
  const { title, detail } = error.problem;
  const { requestId } = error;
  if (error.type === "insufficient-scope") {
    const scope = /scope="([^"]+)"/.exec(error.headers.get("www-authenticate") ?? "")?.[1];
    if (scope) return { ...failures.forbidden(scope), scope };
  }
  return { title, text: detail, requestId: error.status >= 500 ? requestId : undefined };
}

/** What is wrong with each field, by the field's name: from the problem's pointers. */
export function fieldErrors(error: unknown): Record<string, string> {
  // Fields may have any name, those of an object's own methods included.
  const errors: Record<string, string> = Object.create(null);
  if (!(error instanceof ApiError)) return errors;
  for (const { pointer, detail } of error.problem?.errors ?? []) {
    const field = pointer?.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (field) errors[field] ??= detail;
  }
  return errors;
}
