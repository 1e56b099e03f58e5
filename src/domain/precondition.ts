import { ProblemError } from "./problem-error.ts";

/** Versions of a user or a webhook; `any` for every version. */
export type Versions = "any" | readonly number[];

/** What a request requires of the current version. An absent header requires nothing. */
export interface Precondition {
  /** If-Match: the request applies to these versions only. */
  readonly match: Versions | undefined;
  /** If-None-Match: the request does not apply to these versions. */
  readonly noneMatch: Versions | undefined;
}

interface Current {
  readonly id: number;
  readonly version: number;
}

/** Throws `version-mismatch` or `precondition-failed`. */
export function checkPrecondition(
  { match, noneMatch }: Precondition,
  { id, version }: Current,
  resource: "user" | "group" | "webhook" | "schema" = "user",
): void {
  const name =
    resource === "schema" ? "The schema" : `${resource.replace(/^./, (first) => first.toUpperCase())} ${id}`;
  if (match !== undefined && !includes(match, version)) {
    const reason =
      match.length > 0
        ? `${name} is at version ${version} now.`
        : `If-Match has no ETag of a ${resource}. An ETag is the version in quotes, such as "${version}".`;
    throw new ProblemError("version-mismatch", `${reason} Nothing was changed.`);
  }
  if (noneMatch !== undefined && includes(noneMatch, version)) {
    const detail = `${name} exists at version ${version}, which If-None-Match excludes. Nothing was changed.`;
    throw new ProblemError("precondition-failed", detail);
  }
}

function includes(versions: Versions, version: number): boolean {
  return versions === "any" || versions.includes(version);
}
