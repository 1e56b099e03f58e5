/** A value of a custom field. */
export interface FieldValue {
  readonly field: string;
  readonly value: string | number;
}

/** Values of known frequency among sample users, to search and filter by. Names are folded, as a search finds them. */
export interface KnownValues {
  /** In the name or the email of one user in 50 to 60. */
  readonly commonName: string;
  /** In all emails. */
  readonly matchesAll: string;
  /** In the name or the email of one user in 9,000 to 10,000. */
  readonly rareName: string;
  /** In no name or email, but each three consecutive characters are in many. */
  readonly rareOfCommonParts: string;
  /** Two last names: nobody has both. */
  readonly wordsOfNobody: readonly [string, string];
  /** Three characters in the name or the email of one user in 25. */
  readonly threeCharacters: string;
  /** The start of a long email that nobody has. */
  readonly mailbox: string;
  /** The text of one user in 4. `start` is where only this text of the field starts. */
  readonly common: { readonly field: string; readonly value: string; readonly start: string };
  /** Two more values of the same field. With the common one, about half of all users have one of them. */
  readonly others: readonly [string, string];
  /** One user in 25 has one of these two values. */
  readonly either: { readonly field: string; readonly values: readonly [string, string] };
  /** The text of one user in 11,000 to 20,000. */
  readonly rare: FieldValue;
  /** Two common values that hardly any user has both of. */
  readonly hardlyOverlapping: readonly [FieldValue, FieldValue];
}
