import { type ProblemType, problems } from "../../contract/problems.ts";
import { messageUrns } from "../../contract/scim/scim.ts";
import type { ProblemError } from "../../domain/problem-error.ts";
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
    detail: problem.detail,
  };
}

/** Renders a problem in the format of SCIM, with the headers that it has in the API. */
export const scimErrorResponse: ProblemRenderer = (context, problem) => {
  const document = scimErrorDocument(problem);
  return jsonResponse(context, Number(document.status), JSON.stringify(document), {
    "content-type": chooseMediaType(context.request),
    ...problemHeaders(problem),
  });
};
