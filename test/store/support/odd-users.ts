/** Users that early versions accepted, some with fields that later versions reject or use themselves. */
export const oddUsers: readonly Readonly<Record<string, unknown>>[] = [
  { name: "Ada Lovelace", email: "ADA@Example.com", department: "engines", level: 7 },
  { name: "Émile Zola", email: "emile@example.com", tags: ["vip", "beta"], address: { city: "Paris" } },
  { name: "Борис Ельцин", note: "line\nbreak\ttab", big: 1e21, tiny: -1.5e-7, zero: -0 },
  { name: "נעה 👩‍👩‍👧 𝔘𝔫𝔦𝔠𝔬𝔡𝔢", email: "weiß@straße.example", yes: true, nothing: null },
  // Fields of the service, or with a meaning, since then.
  { name: "Deleted?", deletedAt: "never", active: "yes", externalId: 12, groups: ["a"] },
  // Names of credentials since then.
  { name: "Four digits", pin: "1234", otp: "x", accessToken: "y", passwordHash: "z" },
  // An email with an invisible character, and a name with one.
  { name: "Zero\u200bWidth", email: "zero\u200bwidth@example.com" },
  // More fields than users may have since then.
  { name: "Many fields", ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, i])) },
  { name: "Long", bio: "long ".repeat(2000), short: "" },
  { name: "Deep", nested: nest(60) },
  { name: "Same name", email: "first@example.com" },
  { name: "Same name", email: "second@example.com", level: "7" },
];

/** Users with custom fields that Roster defines since then. */
export const unsettledUsers: readonly Readonly<Record<string, unknown>>[] = [
  { name: "Keeps", userName: "Keeper", scim: { externalId: "x" } },
  { name: "First", userName: "same" },
  { name: "Second", userName: "SAME" },
  { name: "Email", email: "mail@example.com" },
  { name: "Like an email", userName: "Mail@example.com" },
  { name: "Like the own email", email: "own@example.com", userName: "own@EXAMPLE.com" },
  { name: "Long", userName: "x".repeat(257) },
  { name: "Number", userName: 7 },
  { name: "Groups", groups: ["a"], scim: "text", previousGroups: "b" },
  { name: "Nothing", userName: null, groups: null, scim: null, level: 1 },
  { name: "Like a later email", userName: "later@example.com" },
  { name: "Later", email: "later@example.com", userName: "later" },
  { name: "Freed", email: "freed@example.com", userName: "freed" },
  { name: "Like a freed email", userName: "Freed@example.com" },
];

function nest(levels: number): unknown {
  return levels === 0 ? "end" : { inner: nest(levels - 1) };
}
