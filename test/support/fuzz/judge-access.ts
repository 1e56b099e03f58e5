import { SCIM_PREFIX } from "../../../src/contract/scim/scim.ts";
import { groupKind } from "../../../src/scim/attributes.ts";
import type { JudgedResponse } from "./judged-response.ts";
import type { FuzzRequest } from "./requests.ts";

/** Finds requests that succeeded and had to be refused: without a caller, or with a precondition that is false. */
export function judgeAccess(response: JudgedResponse, request: FuzzRequest): string[] {
  if (!request.operation || response.status >= 300) return [];
  if (request.isAnonymous) return [`${request.operation.id} succeeded without a caller`];
  const versions = expectedVersions(request);
  const version = versionOf(response.header("etag"));
  if (!versions || version === undefined) return [];
  const { method, path } = request;
  const isRead = method === "GET" || method === "HEAD";
  // A change has one version more, or one for each thousand members.
  const most = isRead
    ? 0
    : path.toLowerCase().startsWith(SCIM_PREFIX + groupKind.endpoint.toLowerCase())
      ? 11
      : 1;
  const isMet = versions.some((each) => version >= each && version <= each + most);
  return isMet ? [] : [`${request.operation.id} succeeded with version ${version}, and If-Match ${versions}`];
}

/** The versions that the precondition of a request names. Undefined if any version will do, or if the operation has no precondition. */
export function expectedVersions({ operation, headers }: FuzzRequest): readonly number[] | undefined {
  if (!operation?.parameters.some(({ in: place, name }) => place === "header" && name === "If-Match"))
    return undefined;
  const value = headers.find(([name]) => name.toLowerCase() === "if-match")?.[1];
  if (value === undefined || value.trim() === "*") return undefined;
  return value.split(",").flatMap((tag) => versionOf(tag.trim()) ?? []);
}

function versionOf(tag = ""): number | undefined {
  const digits = /^(?:W\/)?"(0|[1-9]\d{0,15})"$/.exec(tag)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
