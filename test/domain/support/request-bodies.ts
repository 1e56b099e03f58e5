import fc from "fast-check";
import { keyLimits, scopes } from "../../../src/contract/keys/key.ts";
import { credentialFields, prototypeNames } from "../../../src/contract/users/field-name.ts";
import { userLimits } from "../../../src/contract/users/user.ts";
import { managedFields } from "../../../src/contract/users/user-fields.ts";

/*
 * Request bodies close to the limits of the rules, as JSON text: JavaScript literals cannot have a member called
 * __proto__.
 */

const CONTROL_CHARACTERS = ["\u0000", "\u001f", "\u007f", "\u0085", "\u009f", "\n", "\t"];
const characters = fc.constantFrom(
  "a",
  "é",
  "🔑",
  " ",
  "\u00a0",
  "\ufeff",
  "\u2028",
  "\ud800",
  "\udc00",
  ...CONTROL_CHARACTERS,
);
const plainCharacters = fc.constantFrom("a", "é", "🔑", " ", "'");
const trickyString = fc.string({ unit: characters, maxLength: 4 });
const toText = (value: unknown) => JSON.stringify(value);

/** Text around a limit of characters, perhaps with spaces around it. */
const nearLength = (limit: number) =>
  fc
    .tuple(
      fc.constantFrom("", " ", "\t", "\u00a0 "),
      fc.constantFrom("a", "🔑", "é"),
      fc.integer({ min: limit - 1, max: limit + 1 }),
      fc.constantFrom("", " ", "\n", " \ufeff"),
    )
    .map(([before, character, length, after]) => before + character.repeat(length) + after);

const names = (limit: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: plainCharacters, maxLength: 6 }) },
    { weight: 2, arbitrary: trickyString },
    { weight: 1, arbitrary: nearLength(limit) },
  );

const emails = fc.oneof(
  fc.constantFrom("ada@example.com", "a@b", "é🔑@x.y", "a.b.c@d.e"),
  fc.string({
    unit: fc.constantFrom("a", "@", ".", "@", "b", ",", "<", '"', "\\", "[", "\u0085", " "),
    maxLength: 6,
  }),
  nearLength(userLimits.emailCharacters - "@b.c".length).map((local) => `${local}@b.c`),
);

const numbers = fc.constantFrom(
  ...[
    "0",
    "-0",
    "1",
    "1.0",
    "0.5",
    "-1.5",
    "1e2",
    "1e400",
    "-1e400",
    "1e300",
    "5e-324",
    "4503599627370495.5",
  ],
  ...["9007199254740991", "9007199254740992", "-9007199254740991", "-9007199254740992", "9007199254740991.5"],
);

const fieldNames = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("note", "a", "A1_b", "x".repeat(64)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[...credentialFields, ...prototypeNames, ...managedFields],
      ...[
        "x".repeat(65),
        "1a",
        "_a",
        "",
        "é",
        "a-b",
        "a b",
        "a\n",
        "toString",
        "Password",
        "api_key",
        "API__KEY_",
        "p_i_n",
        "Otp",
        "pins",
        "tokens",
      ],
    ),
  },
  { weight: 1, arbitrary: trickyString },
);
const memberNames = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "", "first name", "é", "password", "hasOwnProperty") },
  { weight: 1, arbitrary: fc.constantFrom(...prototypeNames) },
  { weight: 1, arbitrary: trickyString },
);

const toObject = (entries: readonly (readonly [string, string])[]) =>
  `{${entries.map(([name, value]) => `${toText(name)}:${value}`).join()}}`;

const { value: values } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.constantFrom("null", "true", "false"), numbers, trickyString.map(toText)),
    fc.array(tie("value"), { maxLength: 3 }).map((members) => `[${members.join()}]`),
    fc.array(fc.tuple(memberNames, tie("value")), { maxLength: 3 }).map(toObject),
  ),
}));

/** Some of these fields, each with a value of its own kind or with any value. */
function objectWith(fields: Record<string, fc.Arbitrary<string>>, others: fc.Arbitrary<[string, string]>) {
  const known = Object.entries(fields).map(([name, arbitrary]) =>
    fc.option(
      fc
        .oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: values })
        .map((value): [string, string] => [name, value]),
      { freq: 4 },
    ),
  );
  const some = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(others, { maxLength: 2 }));
  return fc
    .tuple(fc.tuple(...known), some)
    .map(([entries, more]) => toObject([...more, ...entries.filter((entry) => entry !== null)]));
}

const notObjects = fc.constantFrom("null", "true", "7", '"Ada"', "[]", '[{"name":"Ada"}]');
/** Bodies for UserInput and UserPatch. They never have an `id`. */
export const userBodies = fc.oneof(
  {
    weight: 40,
    arbitrary: objectWith(
      {
        name: names(userLimits.nameCharacters).map(toText),
        email: fc.oneof({ weight: 4, arbitrary: emails.map(toText) }, fc.constant("null")),
      },
      fc.tuple(fieldNames, values).filter(([name]) => name !== "id"),
    ),
  },
  { weight: 1, arbitrary: notObjects },
);

/** A number at the limits, or rarely beyond them. */
const around = (min: number, max: number) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.constantFrom(min, min + 1, max - 1, max) },
      { weight: 1, arbitrary: fc.constantFrom(min - 1, max + 1, min + 0.5, -max) },
    )
    .map(String);
const twoDigits = fc.constantFrom(..."00 01 02 12 13 23 24 28 29 30 31 32 59 60 99".split(" "));
const timestamps = fc
  .tuple(
    fc.constantFrom("2090", "2088", "2026", "0000", "9999", "10000", "209"),
    fc.tuple(twoDigits, twoDigits, twoDigits, twoDigits, twoDigits),
    fc.constantFrom("T", "T", "T", "t", " "),
    fc.constantFrom("", "", ".5", ".123456789", "."),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("Z", "z", "") },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom("+", "-"), twoDigits, twoDigits)
          .map(([sign, h, m]) => `${sign}${h}:${m}`),
      },
    ),
  )
  .map(
    ([year, [month, day, hour, minute, second], separator, fraction, zone]) =>
      `${year}-${month}-${day}${separator}${hour}:${minute}:${second}${fraction}${zone}`,
  );
const rateLimits = objectWith(
  { requests: around(1, keyLimits.requests), seconds: around(1, keyLimits.seconds) },
  fc.tuple(fc.constantFrom("burst", "__proto__"), values),
);
const orNull = (arbitrary: fc.Arbitrary<string>) => fc.oneof({ weight: 4, arbitrary }, fc.constant("null"));
const keyFields = {
  name: names(keyLimits.nameCharacters).map(toText),
  scopes: fc
    .oneof(
      { weight: 4, arbitrary: fc.subarray([...scopes], { minLength: 1 }) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...scopes, "users:admin"), { maxLength: 4 }) },
    )
    .map(toText),
  expiresAt: orNull(
    fc.oneof(timestamps, fc.constantFrom("2090-01-31T12:00:00+01:00", "2088-02-29t23:59:59.5z")).map(toText),
  ),
  rateLimit: orNull(rateLimits),
  quota: orNull(around(1, keyLimits.quota)),
};
const replacementFields = {
  replaces: around(1, Number.MAX_SAFE_INTEGER),
  graceSeconds: around(0, keyLimits.graceSeconds),
};
const unknownField = fc.tuple(fc.constantFrom("Name", "id", "__proto__", ""), values);

/** Bodies for KeyInput. */
export const keyBodies = fc.oneof(
  { weight: 20, arbitrary: objectWith(keyFields, unknownField) },
  { weight: 20, arbitrary: objectWith({ ...keyFields, ...replacementFields }, unknownField) },
  { weight: 1, arbitrary: notObjects },
);
