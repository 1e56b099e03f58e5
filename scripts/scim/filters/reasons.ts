/** Why Roster refuses filters that a parser accepts. The documents are docs/scim.md, docs/api.md, and RFC 7644 (section 3.4.2.2). */

interface Reason {
  readonly reason: string;
  /** What Roster answers. */
  readonly detail: RegExp;
  /** What such a filter has. */
  readonly filter: RegExp;
}

const reasons: readonly Reason[] = [
  {
    reason: "a boolean is compared with eq and ne only (RFC 7644, table 3)",
    detail: /expected eq, ne or pr: .* is true or false/,
    filter: /\b(gt|ge|lt|le|co|sw|ew)\b/i,
  },
  {
    reason: "a boolean attribute is compared with true and false (docs/scim.md)",
    detail: /expected true or false as the value of (active|primary)/,
    filter: /\b(active|primary)\s+(eq|ne)\b/i,
  },
  {
    reason: "text is a string of JSON (RFC 7644): a backslash begins an escape",
    detail: /expected (an escape of JSON|a closing quote)/,
    filter: /\\/,
  },
  {
    reason: "text is a string of JSON (RFC 7644), without control characters",
    detail: /expected an escape such as \\n instead of a control character/,
    filter: /[\t\n]/,
  },
  {
    reason: "memberships are joined by and at the top of the expression (docs/scim.md)",
    detail: /expected (groups|members)[. ].*joined by and with the rest/,
    filter: /groups|members/i,
  },
  {
    reason: "schemas has eq, ne and pr, and its values are texts",
    detail: /expected eq, ne or pr for schemas/,
    filter: /schemas/i,
  },
  {
    reason: "the service makes the URL of meta.location, and cannot compare it",
    detail: /expected another attribute than meta\.location/,
    filter: /meta.*\.location/i,
  },
  {
    reason: "the service compares meta.version with eq and ne only",
    detail: /expected eq or ne for meta\.version/,
    filter: /meta.*\.version/i,
  },
  {
    reason: "a filter has at most 50 comparisons (docs/api.md)",
    detail: /expected at most 50 comparisons/,
    filter: /^(?:.*? (?:or|and) ){50}/i,
  },
  {
    reason: "a filter has at most 8 levels of parentheses and brackets (docs/api.md)",
    detail: /expected at most 8 levels/,
    filter: /([([][^)\]]*){9}/,
  },
  {
    reason: "a filter has at most 4,096 characters (docs/api.md)",
    detail: /expected at most 4096 characters/,
    filter: /^.{4097}/su,
  },
  {
    reason: "schemas are URNs (RFC 7643, section 3)",
    detail: /expected an operator .*, but found ":"/,
    filter: /(^|[\s([])(?!urn:)[a-z]+:/i,
  },
  {
    reason: "a path has no spaces (RFC 7644)",
    detail: /expected (an operator|a field name|"and", "or")/,
    filter: /\s[[.]|[.:]\s/,
  },
  {
    reason: "words have space between them (RFC 7644)",
    detail: /expected ("and", "or"|a value|an operator)/,
    filter: /(true|false|null|\d)(and|or)/i,
  },
];

/** The reason why Roster answers this filter with this detail, or undefined. */
export function explainRefusal(filter: string, detail: string): string | undefined {
  return reasons.find((each) => each.detail.test(detail) && each.filter.test(filter))?.reason;
}
