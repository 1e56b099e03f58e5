/** A content coding of responses. `identity` means: not compressed. */
export type Coding = "br" | "gzip" | "zstd";

/** Smaller bodies fit into one packet: compression does not pay. */
const MIN_BYTES = 1024;

/**
 * Chooses the content coding of a response by its Accept-Encoding header (RFC 9110, section 12.5.3). Among codings that
 * the caller likes equally, the first of `codings` wins. A body of less than 1 KB is compressed only if the caller rejects
 * an uncompressed one.
 */
export function chooseCoding(
  header: string | null,
  codings: readonly Coding[],
  bytes: number,
): Coding | "identity" {
  // Most headers have no weights, and need no parsing for a short body.
  if (header === null || (bytes < MIN_BYTES && !header.includes("q=0"))) return "identity";
  const qualities = parseQualities(header);
  const wildcard = qualities.get("*");
  const identity = qualities.get("identity") ?? wildcard;
  if (bytes < MIN_BYTES && identity !== 0) return "identity";
  // An uncompressed body is acceptable even if the header does not name it.
  let best: { coding: Coding | "identity"; quality: number } = {
    coding: "identity",
    quality: qualities.get("identity") ?? 0,
  };
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? wildcard ?? 0;
    const isBetter = best.coding === "identity" ? quality >= best.quality : quality > best.quality;
    if (quality > 0 && isBetter) best = { coding, quality };
  }
  return best.coding;
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Leaves out codings whose weight is invalid. */
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", weight = "q=1"] = item.split(";").map((part) => part.trim());
    const quality = WEIGHT.exec(weight)?.[1];
    // RFC 9110 calls x-gzip another name of gzip.
    if (quality !== undefined) qualities.set(name === "x-gzip" ? "gzip" : name, Number(quality));
  }
  return qualities;
}
