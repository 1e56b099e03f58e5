import { describe, expect, test } from "bun:test";
import { checkTargets, guessTargets, type Target } from "../../../src/console/import/mapping.ts";
import { openSource } from "../../../src/console/import/open-source.ts";
import { FIELD_NAME_PATTERN } from "../../../src/contract/users/field-name.ts";
import { errorFor, guess, open, rowsOf } from "../support/import-file.ts";

const shown = (targets: readonly Target[]) =>
  targets.map((each) => (each.to === "custom" ? `=${each.field}` : each.to));

describe("guessTargets", () => {
  test("keeps the column _more of an export, which the service reads", () => {
    const targets = guessTargets(["name", "_more"]);
    expect(targets).toEqual([{ to: "name" }, { to: "custom", field: "_more" }]);
    expect(checkTargets(targets)).toEqual({ columns: [undefined, undefined], general: undefined });
  });

  const guesses: [string, string[], string[]][] = [
    ["recognizes common names for name and email", ["Full Name", "E-mail"], ["name", "email"]],
    [
      "prefers exact names",
      ["Display name", "name", "mail", "Email"],
      ["=display_name", "name", "=mail", "email"],
    ],
    ["joins first and last name", ["Last Name", "first_name", "Mail"], ["name", "name", "email"]],
    ["keeps first names as a field if there is a full name", ["name", "firstName"], ["name", "=firstName"]],
    [
      "skips managed fields",
      ["id", "version", "createdAt", "updatedAt", "name"],
      ["skip", "skip", "skip", "skip", "name"],
    ],
    [
      "skips credentials, the problem column and unnamed columns",
      ["Password", "apiKey", "problem", ""],
      ["skip", "skip", "skip", "skip"],
    ],
    ["skips hazardous names", ["__proto__", "constructor"], ["skip", "skip"]],
    [
      "makes custom fields of other columns",
      ["Department", "Start date", "Größe (cm)", "部署", "2nd phone"],
      ["=Department", "=start_date", "=groesse_cm", "=column4", "=column5_2nd_phone"],
    ],
    [
      "spells out letters that are not in field names",
      ["Straße", "ÄÖÜ", "Prénom usuel", "Smørrebrød", "Łódź", "Ísland", "Año", "A.B.-C"],
      ["=strasse", "=aeoeue", "=prenom_usuel", "=smorrebrod", "=lodz", "=island", "=ano", "=a_b_c"],
    ],
    [
      "recognizes fields of users in other notations",
      ["Active", "ACTIVE?", "Start Date"],
      ["=active", "=active2", "=start_date"],
    ],
    [
      "recognizes common names for the user name",
      ["Name", "Email", "User name"],
      ["name", "email", "userName"],
    ],
    ["prefers an exact user name", ["login", "user_name", "Username"], ["=login", "userName", "=Username"]],
    ["makes a user name of a login", ["Name", "Login"], ["name", "userName"]],
    ["renames groups", ["groups", "Groups!"], ["=groupNames", "=groupNames2"]],
    [
      "gives every column its own field",
      ["Start date", "start-date", "startDate"],
      ["=start_date", "=start_date2", "=startDate"],
    ],
  ];
  for (const [what, headers, expected] of guesses) {
    test(what, () => {
      expect(shown(guessTargets(headers))).toEqual(expected);
    });
  }

  test("matches fields of the directory in any notation, and recognizes emails by their values", () => {
    const examples = [["Ada"], ["Sales"], ["ada@example.com", "bob@example.com"], ["2020"]];
    const headers = ["Name", "DEPARTMENT", "Login", "Start Date"];
    expect(shown(guessTargets(headers, ["department", "startDate"], examples))).toEqual([
      "name",
      "=department",
      "email",
      "=startDate",
    ]);
  });

  test("keeps a login that is a field of the directory", () => {
    const directory = ["login", "scim", "userName"];
    expect(shown(guessTargets(["Login", "User-Name", "SCIM"], directory))).toEqual([
      "=login",
      "userName",
      "=scim",
    ]);
  });

  test("suggests only valid field names", () => {
    const headers = [
      "x".repeat(200),
      "x".repeat(200),
      "constructor!",
      "pass word",
      "token ",
      "a\tb",
      "💥",
      "id.",
    ];
    const targets = guessTargets(["name", ...headers]);
    for (const target of targets)
      if (target.to === "custom") expect(target.field).toMatch(new RegExp(FIELD_NAME_PATTERN));
    expect(checkTargets(targets)).toEqual({ columns: targets.map(() => undefined), general: undefined });
  });
});

describe("checkTargets", () => {
  test("requires a name", () => {
    expect(checkTargets([{ to: "email" }, { to: "skip" }]).general).toContain("name");
  });

  test("requires no name if rows can update users, which they find by email or user name", () => {
    expect(checkTargets([{ to: "email" }], "email").general).toBeUndefined();
    expect(checkTargets([{ to: "userName" }], "userName").general).toBeUndefined();
    expect(checkTargets([{ to: "userName" }], "email").general).toContain("name");
    expect(checkTargets([{ to: "skip" }], "email").general).toContain("name");
  });

  test("rejects duplicate and invalid fields", () => {
    const custom = (field: string): Target => ({ to: "custom", field });
    const targets: Target[] = [
      { to: "name" },
      { to: "name" },
      { to: "email" },
      { to: "email" },
      custom("a"),
      custom("a"),
      ...["password", "id", "name", "userName", "groups", "prototype", "a b", ""].map(custom),
    ];
    const { columns } = checkTargets(targets);
    expect(columns.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(columns[4]).toBeUndefined();
    expect([columns[3], ...columns.slice(5)].every((error) => error !== undefined)).toBe(true);
  });
});

describe("CSV source", () => {
  test("reads all delimiters and line breaks", async () => {
    const forms = {
      "with commas": 'name,email,note\nAda,ada@example.com,"a,b"\nBob,,x\n',
      "with semicolons": "name;email;note\nAda;ada@example.com;a,b\nBob;;x",
      "with tabs": "name\temail\tnote\nAda\tada@example.com\ta,b\nBob\t\tx\n",
      "with a mark at its beginning": '\ufeffname,email,note\nAda,ada@example.com,"a,b"\nBob,,x\n',
      "with CRLF": 'name,email,note\r\nAda,ada@example.com,"a,b"\r\nBob,,x\r\n',
      "with both newlines": 'name,email,note\r\nAda,ada@example.com,"a,b"\nBob,,x\r\n',
      "with CR": 'name,email,note\rAda,ada@example.com,"a,b"\rBob,,x\r',
    };
    for (const [form, text] of Object.entries(forms)) {
      const source = await open(text);
      expect([form, source.columns.map(({ header }) => header)]).toEqual([form, ["name", "email", "note"]]);
      expect([form, (await rowsOf(source)).map(({ cells }) => cells)]).toEqual([
        form,
        [
          ["Ada", "ada@example.com", "a,b"],
          ["Bob", "", "x"],
        ],
      ]);
    }
  });

  test("decodes what Excel writes, also across pieces", async () => {
    const text = `Name;Städte €\r\n${"Zoë Ångström;“Köln”\r\n".repeat(6000)}`;
    const utf16 = Buffer.from(text, "utf16le");
    const windows = Buffer.from(
      text.replace("€", "\x80").replaceAll("“", "\x93").replaceAll("”", "\x94"),
      "latin1",
    );
    const forms: [string, Uint8Array<ArrayBuffer>][] = [
      ["utf-8", new Uint8Array(Buffer.from(text))],
      ["utf-8", new Uint8Array(Buffer.from(`\ufeff${text}`))],
      ["utf-16le", new Uint8Array(utf16)],
      ["utf-16le", new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"))],
      ["utf-16be", new Uint8Array(Buffer.from(utf16).swap16())],
      ["utf-16be", new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le").swap16())],
      ["windows-1252", new Uint8Array(windows)],
    ];
    for (const [encoding, bytes] of forms) {
      const source = await open(bytes);
      expect([source.encoding, ...source.columns.map(({ header }) => header)]).toEqual([
        encoding,
        "Name",
        "Städte €",
      ]);
      const rows = await rowsOf(source);
      expect([encoding, rows.length]).toEqual([encoding, 6000]);
      expect(rows.every(({ cells: [name, city] }) => name === "Zoë Ångström" && city === "“Köln”")).toBe(
        true,
      );
    }
  });

  test("numbers rows like a spreadsheet, and skips empty rows", async () => {
    const source = await open('name,note,\n"Ada","two\nlines and ""quotes"""\n\n,,\nBob,x,\n');
    expect(await rowsOf(source)).toEqual([
      { number: 2, cells: ["Ada", 'two\nlines and "quotes"'] },
      { number: 5, cells: ["Bob", "x", ""] },
    ]);
    expect(source.columns.length).toBe(2);
  });

  test("reads files piece by piece without splitting rows", async () => {
    // Rows vary in bytes per character and in length, so the 64 KiB pieces end at many different places.
    const lines = Array.from({ length: 9000 }, (_, i) => `"Zoë ""${i}"" 🦊","é${"ß".repeat(i % 7)}\r\n${i}"`);
    const source = await open(`name,note\r\n${lines.join("\r\n")}`);
    const rows = await rowsOf(source);
    expect(rows.length).toBe(9000);
    expect(rows.every(({ cells }, i) => cells[0] === `Zoë "${i}" 🦊`)).toBe(true);
    expect(rows.every(({ cells }, i) => cells[1] === `é${"ß".repeat(i % 7)}\r\n${i}`)).toBe(true);
    expect(source).toMatchObject({ rowCount: 9000, firstRows: { length: 20 } });
  });

  test("does not read the rest of a file into memory after an unclosed quote", async () => {
    let read = 0;
    const text = `name,note\n${"Ada,x\n".repeat(50_000)}Bob,"${"never closed\n".repeat(60_000)}`;
    const opening = openSource(new File([text], "people.csv"), {
      onProgress: (bytes) => {
        read = bytes;
      },
    });
    expect(await errorFor(opening)).toBe("endlessRow");
    expect(read).toBeLessThan(text.length);
  });

  test("rejects a file that ends inside quotes", async () => {
    expect(await errorFor(open('name,note\nAda,"x"\nBob,"y\nCyd,z\n'))).toBe("endlessRow");
    expect((await rowsOf(await open('name,note\nAda,5" wide\nBob,"y"'))).length).toBe(2);
  });

  test("rejects a row that may have swallowed other rows", async () => {
    const source = await open('name,note\nAda,"a "good" note"\nBob,"x" y\nCyd,"z"\nDan,w\n');
    expect(source.firstRows.map(({ cells }) => cells[1])).toEqual(['a "good" note', 'x" y\nCyd,"z', "w"]);
    expect(source.firstRows.map((row) => source.findErrors(row, []).length === 0)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("sends field names and cell texts", async () => {
    const source = await open(
      'Last;First;Mail;pw;Note\nLovelace;Ada; ada@example.com ;x;=1+1\nHopper;;;;" 007 "\n',
    );
    const targets: Target[] = [
      { to: "name" },
      { to: "name" },
      { to: "email" },
      { to: "skip" },
      { to: "custom", field: "Email" },
    ];
    expect(source.write(source.firstRows, targets)).toBe(
      'name,email,Email\nLovelace Ada,ada@example.com,=1+1\nHopper,," 007 "',
    );
    expect(source.write(source.firstRows, targets.with(4, { to: "userName" }))).toBe(
      "name,email,userName\nLovelace Ada,ada@example.com,=1+1\nHopper,,007",
    );
  });

  test("writes failed rows with their columns and a new problem column", async () => {
    const source = await open("name;problem;note\nAda;old;x\nBob;old;y;z\n");
    const errors = [
      { kind: "A kind.", reason: "A; reason." },
      { kind: "Another.", reason: "Another.", field: "email" },
    ];
    const failed = source.firstRows.map((row) => ({ row, errors }));
    expect(source.writeFailed(failed)).toBe(
      '\ufeffname;note;problem\r\nAda;x;"A; reason. Email: Another."\r\nBob;y;"A; reason. Email: Another.";z\r\n',
    );
  });
});

describe("NDJSON source", () => {
  test("is detected by content, and read line by line", async () => {
    const source = await open('\n{"name":"Ada","level":3}\r\n\n{"name":"Bob","tags":["a"]}', "people.txt");
    expect(source.format).toBe("ndjson");
    expect(source.columns).toMatchObject([
      { header: "name", examples: new Set(["Ada", "Bob"]), types: new Set(["string"]) },
      { header: "level", examples: new Set(["3"]), types: new Set(["number"]) },
      { header: "tags", examples: new Set(['["a"]']), types: new Set(["array"]) },
    ]);
    expect((await rowsOf(source)).map(({ number }) => number)).toEqual([2, 4]);
  });

  test("sends lines unchanged unless a field is renamed or skipped", async () => {
    const lines =
      '{ "name": "Ada", "big": 12345678901234567890, "__proto__": 1 }\n{"name":"Bob", "other":true}';
    const source = await open(lines, "people.ndjson");
    expect(source.columns.map(({ header }) => header)).toEqual(["name", "big", "__proto__", "other"]);
    const same = source.columns.map(({ header }): Target => ({ to: "custom", field: header }));
    expect(source.write(source.firstRows, same)).toBe(lines);
    const renamed = source.write(source.firstRows, [
      { to: "name" },
      { to: "custom", field: "size" },
      { to: "skip" },
      { to: "skip" },
    ]);
    expect(renamed).toBe('{"name":"Ada","size":12345678901234567000}\n{"name":"Bob"}');
  });

  test("rejects lines that are not objects, too deep, or contain too large numbers", async () => {
    const deep = `{"name":"x","d":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    const source = await open(`{"name":"Ada"}\n[1]\nnonsense\n{"name":"x","n":1e400}\n${deep}\n`, "x.jsonl");
    const errors = source.firstRows.map((row) => source.findErrors(row, guess(source)).length);
    expect(errors).toEqual([0, 1, 1, 1, 1]);
  });
});

describe("an invalid file", () => {
  const wrong: [string, BlobPart, string][] = [
    ["encoding", new Uint8Array([0x6e, 0x0a, 0xe9, 0x81, 0x0a]), "undefined-byte.csv"],
    ["encoding", new Uint8Array([0xff, 0xfe, 0x6e, 0x00, 0x0a]), "half-character.csv"],
    ["encoding", new Uint8Array([0x6e, 0x0a, 0x00, 0x00, 0x0a, 0x61]), "binary.csv"],
    ["workbook", "PK\u0003\u0004…", "people.xlsx"],
    ["empty", "", "people.csv"],
    ["empty", " \n\n", "people.csv"],
    ["empty", "name,email\n", "people.csv"],
    ["json", '[{"name":"Ada"}', "people.json"],
    ["json", '[{"name":"Ada"}] x', "people.json"],
    ["json", '{\n"name":"Ada"\n}, x', "people.json"],
    ["json", '[{"name":"Ada}]', "people.json"],
    ["empty", "[]", "people.json"],
  ];
  for (const [kind, content, name] of wrong) {
    test(`is rejected: ${name} is ${kind}`, async () => {
      expect(await errorFor(open(content, name))).toBe(kind);
    });
  }

  test("is rejected if a byte in UTF-8 is wrong", async () => {
    const text = new TextEncoder().encode(`name\n${"Zoë\n".repeat(1_200_000)}`);
    text[text.length - 2] = 0xff;
    expect(await errorFor(open(text))).toBe("encoding");
  });
});
