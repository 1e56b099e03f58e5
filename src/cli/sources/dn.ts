const ESCAPED_BYTES = /(?:\\[0-9a-f]{2})+/gi;
/** Printable ASCII without spaces and escapes. */
const PLAIN = /^[!-[\]-~]*$/;
const SPECIAL = /[,+"\\<>;=#]/g;

/**
 * A distinguished name in the form used for comparison: `UID=Ada, ou=People` and `uid=ada,ou=people` are the same entry. Case does
 * not matter, nor do spaces around commas and equal signs, nor how a character is escaped.
 */
export function normalizeDn(dn: string): string {
  if (PLAIN.test(dn)) return dn.toLowerCase();
  const text = dn.replace(ESCAPED_BYTES, (bytes) =>
    Buffer.from(bytes.replaceAll("\\", ""), "hex")
      .toString("utf8")
      .replace(SPECIAL, (character) => `\\${character}`),
  );
  return splitUnescaped(text, ",").map(normalizeRdn).join(",").normalize("NFC").toLowerCase();
}

function normalizeRdn(rdn: string): string {
  return splitUnescaped(rdn, "+")
    .map((pair) => {
      const [type = "", ...value] = pair.split("=");
      return value.length === 0 ? type.trim() : `${type.trim()}=${value.join("=").trim()}`;
    })
    .join("+");
}

function splitUnescaped(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
