import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError, type Client, createClient, NetworkError, TimeoutError } from "../../client/index.ts";
import { requestJson } from "../../client/transport/request-json.ts";
import { unescapeName } from "../../contract/json.ts";
import type { ProblemType } from "../../contract/problems.ts";
import { sessionFetch } from "../../pages/script/session-fetch.ts";
import { failures, ownKey } from "../texts/index.ts";
import { watchServer } from "./server-status.ts";
import { dismissSignInPrompt, promptAfterSessionEnd, promptUnlessDismissed } from "./sign-in-prompt.ts";

/** Client for the service that serves this page. */
export const roster = createClient({ retries: 2, onRetry: () => undefined, fetch: sessionFetch });

/** Sends a request that the client library has no method for. */
export function request(path: string, init?: Parameters<typeof requestJson>[1]): Promise<unknown> {
  return requestJson(new URL(path, location.origin), {
    onRetry: () => undefined,
    fetch: sessionFetch,
    ...init,
  });
}

/** The service does not accept the key that the person entered in a form. The session has not ended. */
export class RejectedKeyError extends Error {}

/**
 * Calls the service with the person's key: a session is not enough to create keys. Undefined if the service requires no
 * key. Throws a `RejectedKeyError` if the service does not accept the key.
 */
export async function callWithKey<Result>(
  key: string | undefined,
  call: (client: Client) => Promise<Result>,
): Promise<Result> {
  if (key === undefined) return call(roster);
  return sendWithKey(key, (withKey) =>
    call(createClient({ retries: 2, onRetry: () => undefined, fetch: withKey })),
  );
}

/** Sends requests with the person's key. Throws a `RejectedKeyError` if the service does not accept the key. */
export async function sendWithKey<Result>(
  key: string,
  send: (withKey: typeof sessionFetch) => Promise<Result>,
): Promise<Result> {
  if (!/^[!-~]+$/.test(key)) throw new RejectedKeyError(key === "" ? ownKey.missing : ownKey.invalid);
  const withKey = (request: Request) => {
    request.headers.set("authorization", `Bearer ${key}`);
    return sessionFetch(request);
  };
  try {
    return await send(withKey);
  } catch (error) {
    if (isSignedOut(error)) throw new RejectedKeyError(describeError(error).text);
    throw error;
  }
}

/** A random idempotency key. `crypto.randomUUID` exists only on HTTPS pages. */
export function randomId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** The queries that were running when the person closed the sign-in prompt: their failure does not show it again. */
const startedBeforeDismissal = new WeakSet<object>();

export const queryClient = new QueryClient({
  // The first request that fails shows the sign-in prompt, or says that the service is away.
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (startedBeforeDismissal.has(query)) watchServer(error, queryClient);
      else reportFailure(error);
    },
    onSettled: (_data, _error, query) => startedBeforeDismissal.delete(query),
  }),
  mutationCache: new MutationCache({ onError: reportFailure }),
  defaultOptions: {
    // The client library retries, and knows which requests are safe to repeat.
    queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: true, staleTime: 30_000 },
    mutations: { retry: false, networkMode: "always" },
  },
});

function reportFailure(error: unknown): void {
  promptIfSignedOut(error);
  watchServer(error, queryClient);
}

/** Whether a mutation with this key is pending. Unlike `isPending`, true before the next render. */
export function isMutating(...kind: string[]): boolean {
  return queryClient.isMutating({ mutationKey: kind }) > 0;
}

/** Shows the sign-in prompt if the session has ended. Requests outside of the query client call this themselves. */
export function promptIfSignedOut(error: unknown): void {
  if (isSignedOut(error)) promptAfterSessionEnd();
}

/** As `promptIfSignedOut`, for requests in the background: not again after the person has closed the prompt. */
export function promptOnceIfSignedOut(error: unknown): void {
  if (isSignedOut(error)) promptUnlessDismissed();
}

/** Closes the sign-in prompt without a sign-in. */
export function dismissPrompt(): void {
  const running = queryClient.getQueryCache().findAll({ fetchStatus: "fetching" });
  for (const query of running) startedBeforeDismissal.add(query);
  dismissSignInPrompt();
}

/** Whether the caller is not signed in, or no longer. */
export function isSignedOut(error: unknown): error is ApiError {
  return isProblem(error, "unauthenticated", "key-revoked", "key-expired");
}

/** Whether no response arrived: the service may or may not have done the work. */
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

/** The text to show for an error. */
export function describeError(error: unknown): ErrorText {
  if (error instanceof NetworkError) return failures.offline;
  if (error instanceof TimeoutError) return failures.timeout;
  if (!(error instanceof ApiError) || !error.problem) return failures.unexpected;
  const { title, detail } = error.problem;
  const { requestId } = error;
  if (error.type === "insufficient-scope") {
    const scope = /scope="([^"]+)"/.exec(error.headers.get("www-authenticate") ?? "")?.[1];
    if (scope) return { ...failures.forbidden([scope]), scope };
  }
  return { title, text: detail, requestId: error.status >= 500 ? requestId : undefined };
}

/** The error in one line, where no title is shown. */
export function describeInLine(error: unknown): string {
  const { title, text } = describeError(error);
  return error instanceof ApiError && error.problem ? text : `${title}. ${text}`;
}

/** The first error of each field, by the field's name in the problem's pointers. */
export function fieldErrors(error: unknown): Record<string, string> {
  // No prototype: a field may be named like a method of every object.
  const errors: Record<string, string> = Object.create(null);
  if (!(error instanceof ApiError)) return errors;
  for (const { pointer, detail } of error.problem?.errors ?? []) {
    const field = unescapeName(pointer?.split("/")[1] ?? "");
    if (field) errors[field] ??= detail;
  }
  return errors;
}
