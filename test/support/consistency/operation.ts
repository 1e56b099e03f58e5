import type { Json } from "../../../src/contract/json.ts";

export type Fields = { [field: string]: Json };

/** A user in a response. */
export interface User extends Fields {
  id: number;
  name: string;
  /** Names the write that produced this version. Every write of a workload has its own mark. */
  mark: string;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface Create {
  readonly method: "POST";
  readonly body: Fields;
  /** The Idempotency-Key. Attempts with the same key send the same body. */
  readonly key?: string;
}

export interface Change {
  readonly method: "PUT" | "PATCH";
  readonly id: number;
  readonly body: Fields;
  readonly ifMatch?: number;
}

interface Delete {
  readonly method: "DELETE";
  readonly id: number;
  readonly ifMatch?: number;
}

interface Read {
  readonly method: "GET";
  /** Absent: a list. */
  readonly id?: number;
  readonly query?: string;
}

export type UserRequest = Create | Change | Delete | Read;

export interface ResponseData {
  readonly status: number;
  readonly text: string;
  /** Whether the response has `Idempotency-Replayed`. */
  readonly replayed: boolean;
}

/** One request, as its client saw it. Times are milliseconds of one clock. */
export interface Operation {
  readonly request: UserRequest;
  readonly invoked: number;
  /** Infinity if no response arrived: the write may happen at any time after `invoked`, or never. */
  readonly completed: number;
  readonly response: ResponseData | undefined;
  /** When a response with 503 arrived, in milliseconds since 1970. */
  readonly refusedAt?: number;
}

export type Outcome = "done" | "rejected" | "refused" | "retry" | "unknown" | "unexpected";

const REJECTIONS: Record<UserRequest["method"], readonly string[]> = {
  POST: ["email-taken"],
  PUT: ["email-taken", "user-not-found", "version-mismatch"],
  PATCH: ["email-taken", "user-not-found", "version-mismatch"],
  DELETE: ["user-not-found", "version-mismatch"],
  GET: ["user-not-found"],
};

/** `retry`: another attempt with the same Idempotency-Key is running. A 503 says so if it leaves the outcome of a write unknown. */
export function outcomeOf({ request, response }: Operation): Outcome {
  if (response === undefined) return "unknown";
  if (response.status === 503) return isInDoubt(response.text) ? "unknown" : "refused";
  if (response.status < 300) return "done";
  const type = problemType(response);
  if (REJECTIONS[request.method].includes(type)) return "rejected";
  return request.method === "POST" && type === "idempotency-in-flight" ? "retry" : "unexpected";
}

/** Whether a 503 leaves the outcome of a write unknown. */
export function isInDoubt(text: string): boolean {
  return text.includes("may or may not have been committed");
}

export function problemType({ text }: ResponseData): string {
  return /"type":\s*"\/problems\/([a-z-]+)"/.exec(text)?.[1] ?? "";
}

export function describeOperation({ request, invoked, completed, response }: Operation): string {
  const { method } = request;
  const path = method === "POST" ? "/api/users" : `/api/users/${request.id ?? ""}`;
  const condition =
    "ifMatch" in request && request.ifMatch !== undefined ? ` If-Match ${request.ifMatch}` : "";
  const body = "body" in request ? ` ${JSON.stringify(request.body)}` : "";
  const result = response ? `${response.status} ${response.text.slice(0, 300)}` : "no response";
  return `${method} ${path}${condition}${body} [${invoked.toFixed(1)}–${completed.toFixed(1)}]: ${result}`;
}
