/** One thing that two answers say differently. Undefined: it is absent. */
interface Difference {
  /** An attribute or a header. In lists, after the name of the resource and a dot. */
  readonly aspect: string;
  readonly roster: string | undefined;
  readonly scimmy: string | undefined;
}

/** A difference that many answers have. */
interface GeneralDifference {
  readonly because: string;
  readonly explains: (difference: Difference) => boolean;
}

export const generalDifferences: readonly GeneralDifference[] = [
  {
    because: "The answer to a POST has the header Location (RFC 7644, 3.3). scimmy leaves it out.",
    explains: ({ aspect, roster, scimmy }) => aspect === "Location" && roster === "sent" && scimmy === "none",
  },
  {
    because: "Resources have versions (RFC 7644, 3.14). scimmy leaves them to its user.",
    explains: ({ aspect, roster, scimmy }) =>
      ends(aspect, "meta.version") && roster === "shown" && scimmy === undefined,
  },
  {
    because: "`active` is always shown: an account without it is active.",
    explains: ({ aspect, roster, scimmy }) =>
      ends(aspect, "active") && roster === "true" && scimmy === undefined,
  },
  {
    because: "`schemas` is always shown, also with `attributes` (RFC 7643, 3).",
    explains: ({ aspect, scimmy }) => ends(aspect, "schemas") && scimmy === undefined,
  },
  {
    because: "`itemsPerPage` is what the page has (RFC 7644, 3.4.2). scimmy says what a page can have.",
    explains: ({ aspect, scimmy }) => aspect === "itemsPerPage" && scimmy === "20",
  },
  {
    because: "`members` are always shown, with the URL and the type of each, and without a name.",
    explains: ({ aspect, roster, scimmy }) =>
      ends(aspect, "members") &&
      roster?.replaceAll(/"\$ref":"[^"]*","type":"User",/g, "") ===
        (scimmy ?? "[]").replaceAll(/"display":"[^"]*",/g, ""),
  },
  {
    because: "The URL of a manager is shown. scimmy shows it if a client sends it.",
    explains: ({ aspect, roster, scimmy }) =>
      ends(aspect, "enterprise:2.0:User") && roster?.replace(/"\$ref":"[^"]*",/, "") === scimmy,
  },
  {
    because: "[] and {} are no values (RFC 7643, 2.5), so they are not shown.",
    explains: ({ roster, scimmy }) => roster === undefined && (scimmy === "[]" || scimmy === "{}"),
  },
];

function ends(aspect: string, name: string): boolean {
  return aspect === name || aspect.endsWith(`.${name}`) || aspect.endsWith(`:${name}`);
}
