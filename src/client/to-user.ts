import { ApiError } from "./errors.ts";
import type { Answer } from "./transport.ts";
import type { User } from "./types.ts";

/** The user in an answer. That your own fields are what you said they are is yours to know. */
export function toUser<Own>(answer: Answer): User<Own> {
  const { body } = answer;
  if (isUser<Own>(body)) return body;
  throw misfit(answer, "a user");
}

export function toUsers<Own>(answer: Answer): User<Own>[] {
  const { body } = answer;
  if (Array.isArray(body) && body.every(isUser<Own>)) return body;
  throw misfit(answer, "a list of users");
}

function isUser<Own>(value: unknown): value is User<Own> {
  if (typeof value !== "object" || value === null) return false;
  if (!("id" in value && "name" in value && "version" in value)) return false;
  return typeof value.id === "number" && typeof value.name === "string" && typeof value.version === "number";
}

export function toNothing(answer: Answer): void {
  if (answer.body !== undefined) throw misfit(answer, "empty");
}

function misfit({ asked, status, headers }: Answer, what: string): ApiError {
  return new ApiError(
    asked,
    status,
    headers,
    undefined,
    `the answer is not ${what}: is this a Roster service?`,
  );
}
