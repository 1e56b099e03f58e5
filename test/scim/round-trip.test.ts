import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject } from "../../src/contract/json.ts";
import { groupKind, userKind } from "../../src/scim/attributes.ts";
import { groupDocument, groupRecord } from "../../src/scim/group-document.ts";
import { normalizeDocument } from "../../src/scim/normalize.ts";
import { replaceDocument } from "../../src/scim/replace.ts";
import { userDocument, userRecord } from "../../src/scim/user-document.ts";
import { arbitraryGroup, arbitraryUser } from "./support/arbitrary-records.ts";
import { arbitraryResource } from "./support/arbitrary-resources.ts";
import { applyPatch, parsePatch } from "./support/patch.ts";
import { locate, stored } from "./support/stored.ts";

const user = arbitraryUser.map((record) => stored(record));
const group = arbitraryGroup.map((record) => stored({ ...record, memberCount: 3 }));

/** The part of a record that callers write. */
function written({
  id: _,
  version: __,
  createdAt: ___,
  updatedAt: ____,
  memberCount: _____,
  ...record
}: JsonObject) {
  return record;
}

describe("a record that becomes a document and a record again is the same", () => {
  test("for users, apart from the user name that it gets", () => {
    fc.assert(
      fc.property(user, (before) => {
        const { userName, ...record } = userRecord(userDocument(before, locate), before).record;
        const { userName: earlier, ...expected } = written(before);
        expect<object>(record).toEqual(expected);
        expect(userName).toEqual((earlier ?? before.email) as typeof userName);
      }),
      { numRuns: 500 },
    );
  });

  test("for groups", () => {
    fc.assert(
      fc.property(group, (before) => {
        expect<object>(groupRecord(groupDocument(before, locate), before)).toEqual(written(before));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a document of any record", () => {
  const cases = [
    { kind: userKind, records: user, documentOf: userDocument },
    { kind: groupKind, records: group, documentOf: groupDocument },
  ];
  test.each(cases)(
    "of a $kind.name is replaced by itself without a change",
    ({ kind, records, documentOf }) => {
      fc.assert(
        fc.property(records, (before) => {
          const document = documentOf(before, locate);
          expect(replaceDocument(kind, document, normalizeDocument(kind, document))).toBe(document);
        }),
        { numRuns: 300 },
      );
    },
  );

  test.each(cases)("of a $kind.name stays when it is added to itself", ({ kind, records, documentOf }) => {
    fc.assert(
      fc.property(records, (before) => {
        const document = documentOf(before, locate);
        const add = { op: "add", value: document };
        expect(applyPatch(kind, document, parsePatch(kind, { Operations: [add] }))).toBe(document);
        const empty = parsePatch(kind, { Operations: [] });
        expect(applyPatch(kind, document, empty)).toBe(document);
      }),
      { numRuns: 300 },
    );
  });

  test.each(cases)("of a $kind.name has values only", ({ kind, records, documentOf }) => {
    fc.assert(
      fc.property(records, (before) => {
        const { schemas: _, id: __, meta: ___, ...document } = documentOf(before, locate);
        expect(normalizeDocument(kind, document)).toEqual(document);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what a client sends", () => {
  test("as a user comes back", () => {
    fc.assert(
      fc.property(arbitraryResource(userKind), (sent) => {
        const document = normalizeDocument(userKind, { ...sent, userName: "ada" });
        const before = stored(userRecord(document, undefined).record);
        const shown = userDocument(before, locate);
        const replaced = replaceDocument(userKind, shown, document);
        expect(userRecord(replaced, before).record).toEqual(userRecord(shown, before).record);
      }),
      { numRuns: 300 },
    );
  });

  test("as a group comes back", () => {
    fc.assert(
      fc.property(arbitraryResource(groupKind), (sent) => {
        const document = normalizeDocument(groupKind, { ...sent, displayName: "Sales" });
        const before = stored(groupRecord(document, undefined));
        const shown = groupDocument(before, locate);
        expect(groupRecord(replaceDocument(groupKind, shown, document), before)).toEqual(
          groupRecord(shown, before),
        );
      }),
      { numRuns: 300 },
    );
  });
});
