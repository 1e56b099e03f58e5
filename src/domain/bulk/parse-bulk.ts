import { bulkLimits } from "../../contract/bulk/bulk.ts";
import { parseLongJson } from "../parse-long-json.ts";

/** Parses the body of a bulk change. Everything except `ids` may have `maxOtherBytes`. Too many ids are null. */
export function parseBulk(bytes: Uint8Array, maxOtherBytes: number): Promise<unknown> {
  return parseLongJson(bytes, {
    isLong: ([name, ...rest]) => name === "ids" && rest.length === 0,
    maxItems: bulkLimits.ids,
    maxOtherBytes,
    invalid: "invalid-bulk",
  });
}
