import { describe, expect, test } from "bun:test";
import {
  inOtherForm,
  newRow,
  type Own,
  ownOf,
  readOwn,
  signatureOf,
} from "../../src/console/users/detail/custom-fields-draft.ts";
import { readJsonText, readNumber } from "../../src/console/users/json-parser.ts";

const faultIn = (text: string) => readJsonText(text).fault;
const valueIn = (text: string) => {
  const found = readJsonText(text);
  return found.fault === undefined ? found.value : { fault: found.fault };
};

describe("JSON as people type it", () => {
  test("says what JSON.parse says of it", () => {
    const sound = [
      "null",
      " true ",
      "-0.5e-3",
      '"\\u00e9\\n\\"\\\\"',
      "[]",
      "{}",
      '[1, [2, {"a": []}]]',
      '{\n  "a": {"b": null},\r\n\t"c": "d"\n}',
      '{"toString": 1, "constructor": {"x": 2}, "__proto__": 3}',
      `${"[".repeat(64)}${"]".repeat(64)}`,
    ];
    for (const text of sound) expect(valueIn(text)).toEqual(JSON.parse(text));
  });

  test("is refused where JSON.parse refuses it", () => {
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
    wrong.push('"a\nb"', '"\\x"', '"', "nul", "[1]]", "undefined", "NaN", '{"a":1,}', "//", '{"a" 1}');
    for (const text of wrong) {
      expect(() => JSON.parse(text)).toThrow();
      expect(faultIn(text)).toStartWith("Line ");
    }
  });

  test("is told the line and the column", () => {
    expect(faultIn('{\n  "a": 1\n  "b": 2\n}')).toBe(
      "Line 3, column 3: a comma or } is missing before this.",
    );
    expect(faultIn('{"a": 1,\n "a": 2}')).toBe("Line 2, column 2: a is here twice.");
  });

  test("keeps no number that would come back as another", () => {
    for (const text of ["9007199254740993", "1e400", "0.12345678901234567890", "1e21", "-9007199254740992"]) {
      expect(readNumber(text)).toBeUndefined();
      expect(faultIn(`[1, ${text}]`)).toContain("more digits");
    }
    for (const text of ["9007199254740991", "0", "-0", "0.1", "1.50", "1e5", "12345.678", "1e-7", "000"]) {
      expect(readNumber(text)).toBe(Number(text));
    }
  });

  test("cannot be so deep that reading it fails", () => {
    expect(faultIn("[".repeat(100_000))).toContain("64 levels");
  });
});

describe("own fields", () => {
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

  test("are the same after any number of changes between the two forms", () => {
    let own: Own | undefined = ownOf(fields);
    for (let times = 0; times < 3; times++) {
      own = own && inOtherForm(own);
      expect(own && readOwn(own).fields).toEqual(fields);
      expect(own && signatureOf(own)).toBe(signatureOf(ownOf(fields)));
    }
  });

  test("stay in their form as long as something is wrong with them", () => {
    expect(
      inOtherForm({ form: "rows", rows: [newRow("a", { type: "number", text: "many" })] }),
    ).toBeUndefined();
    expect(inOtherForm({ form: "rows", rows: [newRow("", { type: "text", text: "x" })] })).toBeUndefined();
    expect(inOtherForm({ form: "rows", rows: [newRow("a"), newRow("a")] })).toBeUndefined();
    expect(inOtherForm({ form: "json", text: "{" })).toBeUndefined();
    expect(inOtherForm({ form: "json", text: "[]" })).toBeUndefined();
  });

  test("leave out a row that was not begun with", () => {
    expect(readOwn({ form: "rows", rows: [newRow()] }).fields.size).toBe(0);
  });

  test("cannot be called like what Roster has", () => {
    for (const name of ["name", "email", "id", "version", "createdAt", "updatedAt"]) {
      expect(readOwn({ form: "rows", rows: [newRow(name)] }).rowFaults.size).toBe(1);
      expect(readOwn({ form: "json", text: JSON.stringify({ [name]: 1 }) }).jsonFault).toContain(name);
    }
  });
});
