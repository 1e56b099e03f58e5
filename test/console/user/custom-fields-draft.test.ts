import { describe, expect, test } from "bun:test";
import {
  type CustomFieldsDraft,
  convertForm,
  fingerprint,
  newRow,
  parseCustomFields,
  toCustomFieldsDraft,
} from "../../../src/console/users/detail/custom-fields-draft.ts";
import { parseExactNumber, parseJson } from "../../../src/console/users/json-parser.ts";

const errorIn = (text: string) => parseJson(text).error;
const getFieldValue = (text: string) => {
  const found = parseJson(text);
  return found.error === undefined ? found.value : { error: found.error };
};

describe("parseJson", () => {
  test("returns the same values as JSON.parse", () => {
    const sound = [
      "null",
      " true ",
      "-0.5e-3",
      '"\\u00e9\\n\\"\\\\"',
      '" !#[]~\u007f\u2028\ud83d\ude00\ud800"',
      "[]",
      "{}",
      '[1, [2, {"a": []}]]',
      '{\n  "a": {"b": null},\r\n\t"c": "d"\n}',
      '{"toString": 1, "constructor": {"x": 2}, "__proto__": 3}',
      `${"[".repeat(64)}${"]".repeat(64)}`,
    ];
    for (const text of sound) expect(getFieldValue(text)).toEqual(JSON.parse(text));
  });

  test("rejects what JSON.parse rejects", () => {
    const wrong = [
      "",
      "{",
      "[1,]",
      "[1 2]",
      '{"a"}',
      '{"a":}',
      "{a: 1}",
      "'a'",
      "01",
      "+1",
      ".5",
      "1.",
      "tru",
    ];
    wrong.push(
      '"a\nb"',
      '"\0"',
      '"\x1f"',
      '"\\x"',
      '"',
      "nul",
      "[1]]",
      "undefined",
      "NaN",
      '{"a":1,}',
      "//",
      '{"a" 1}',
    );
    for (const text of wrong) {
      expect(() => JSON.parse(text)).toThrow();
      expect(errorIn(text)).toStartWith("Line ");
    }
  });

  test("reports line and column", () => {
    expect(errorIn('{\n  "a": 1\n  "b": 2\n}')).toBe("Line 3, column 3: expected a comma or }.");
    expect(errorIn('{"a": 1,\n "a": 2}')).toBe("Line 2, column 2: a appears twice.");
  });

  test("rejects numbers that a double can't represent exactly", () => {
    for (const text of ["9007199254740993", "1e400", "0.12345678901234567890", "1e21", "-9007199254740992"]) {
      expect(parseExactNumber(text)).toBeUndefined();
      expect(errorIn(`[1, ${text}]`)).toContain("too many digits");
    }
    for (const text of ["9007199254740991", "0", "-0", "0.1", "1.50", "1e5", "12345.678", "1e-7", "000"]) {
      expect(parseExactNumber(text)).toBe(Number(text));
    }
  });

  test("limits the nesting depth", () => {
    expect(errorIn("[".repeat(100_000))).toContain("64 levels");
  });
});

describe("custom fields draft", () => {
  const fields = new Map(
    Object.entries({
      text: "a\nb",
      number: -1.5,
      flag: false,
      empty: null,
      list: [1, null],
      object: { a: {} },
    }),
  );

  test("keeps its fields when converted between rows and JSON", () => {
    let draft: CustomFieldsDraft | undefined = toCustomFieldsDraft(fields);
    for (let times = 0; times < 3; times++) {
      draft = draft && convertForm(draft);
      expect(draft && parseCustomFields(draft).fields).toEqual(fields);
      expect(draft && fingerprint(draft)).toBe(fingerprint(toCustomFieldsDraft(fields)));
    }
  });

  test("is not converted while invalid", () => {
    expect(
      convertForm({ form: "rows", rows: [newRow("a", { type: "number", text: "many" })] }),
    ).toBeUndefined();
    expect(convertForm({ form: "rows", rows: [newRow("", { type: "text", text: "x" })] })).toBeUndefined();
    expect(convertForm({ form: "rows", rows: [newRow("a"), newRow("a")] })).toBeUndefined();
    expect(convertForm({ form: "json", text: "{" })).toBeUndefined();
    expect(convertForm({ form: "json", text: "[]" })).toBeUndefined();
  });

  test("ignores an empty row", () => {
    expect(parseCustomFields({ form: "rows", rows: [newRow()] }).fields.size).toBe(0);
  });

  test("rejects names of core and managed fields", () => {
    for (const name of ["name", "email", "userName", "scim", "id", "version", "createdAt", "updatedAt"]) {
      expect(parseCustomFields({ form: "rows", rows: [newRow(name)] }).rowErrors.size).toBe(1);
      expect(parseCustomFields({ form: "json", text: JSON.stringify({ [name]: 1 }) }).jsonError).toContain(
        name,
      );
    }
  });
});
