import { mediaTypes } from "../../contract/operation.ts";
import { negotiateType } from "../query/negotiation.ts";

const SCIM_ONLY = [mediaTypes.scim];
const JSON_ONLY = [mediaTypes.json];

/** The media type of a response: that of SCIM, unless the caller accepts only plain JSON. */
export function chooseMediaType({ headers }: Request): string {
  const accept = headers.get("accept");
  const isPlain =
    negotiateType(accept, SCIM_ONLY) === undefined && negotiateType(accept, JSON_ONLY) !== undefined;
  return isPlain ? mediaTypes.json : mediaTypes.scim;
}
