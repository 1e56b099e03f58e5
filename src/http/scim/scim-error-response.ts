import { unescapeName } from "../../contract/json.ts";
import { describeFieldError, type ProblemType, problems } from "../../contract/problems.ts";
import { messageUrns } from "../../contract/scim/scim.ts";
import type { ProblemError } from "../../domain/problem-error.ts";
import { groupKind, type ResourceKind, userKind } from "../../scim/attributes.ts";
import { mappingRows } from "../../scim/mapping-rows.ts";
import { MEMBERS } from "../../scim/normalize.ts";
import { ScimError, type ScimType } from "../../scim/scim-error.ts";
import { type ProblemRenderer, problemHeaders } from "../problem-response.ts";
import { jsonResponse } from "../responses.ts";
import { chooseMediaType } from "./media-type.ts";

/** What SCIM says about a problem of the API. All others have their status, and no `scimType`. */
const scimErrors: Partial<Record<ProblemType, { readonly status: number; readonly scimType: ScimType }>> = {
  "malformed-json": { status: 400, scimType: "invalidSyntax" },
  "invalid-query": { status: 400, scimType: "invalidValue" },
  "invalid-user": { status: 400, scimType: "invalidValue" },
  "invalid-group": { status: 400, scimType: "invalidValue" },
  "email-taken": { status: 409, scimType: "uniqueness" },
  "value-taken": { status: 409, scimType: "uniqueness" },
};

/** An error of SCIM (RFC 7644, section 3.12). */
export interface ScimErrorDocument {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: ScimType;
  readonly detail: string;
}

export function scimErrorDocument(problem: ProblemError): ScimErrorDocument {
  const known = scimErrors[problem.type];
  const status = known?.status ?? problems[problem.type].status;
  const scimType = problem instanceof ScimError ? problem.scimType : known?.scimType;
  return {
    schemas: [messageUrns.error],
    status: String(status),
    ...(scimType && { scimType }),
    detail: describeProblem(problem),
  };
}

/** Names what is wrong as SCIM does: errors of the API have pointers to fields of the record. */
function describeProblem({ type, detail, errors = [] }: ProblemError): string {
  const isAboutRecord = errors.length > 0 && errors.every(({ pointer }) => pointer?.startsWith("/"));
  if (!isAboutRecord) return detail;
  const isGroup = type === "invalid-group" || errors.some(({ pointer }) => pointer === "/name");
  const kind = isGroup ? groupKind : userKind;
  const described = errors
    .slice(0, MAX_REASONS)
    .map((error) => describeFieldError({ ...error, pointer: findAttribute(kind, error.pointer ?? "") }));
  return described.join(" ");
}

/** Errors that a detail tells. */
const MAX_REASONS = 10;

/** The attribute that shows the field at a pointer. */
function findAttribute(kind: ResourceKind, pointer: string): string {
  const field = unescapeName(pointer.split("/")[1] ?? "");
  if (memberLists.has(field)) return MEMBERS;
  const row = mappingRows(kind).find(({ record }) => Array.isArray(record) && record.includes(field));
  const names = row?.names.join(".") ?? field;
  const urn = row ? row.urn : kind.customUrn;
  return urn === undefined ? names : `${urn}:${names}`;
}

/** Where changes of members have their ids. */
const memberLists: ReadonlySet<string> = new Set(["members", "add", "remove"]);

/** Renders a problem in the format of SCIM, with the headers that it has in the API. */
export const scimErrorResponse: ProblemRenderer = (context, problem) => {
  const document = scimErrorDocument(problem);
  return jsonResponse(context, Number(document.status), JSON.stringify(document), {
    "content-type": chooseMediaType(context.request),
    ...problemHeaders(problem),
  });
};
