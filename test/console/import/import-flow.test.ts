import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { type MountedConsole, mountConsole } from "../support/dom/mount-console.ts";
import {
  checkRows,
  chooseFile,
  confirmImport,
  csvOfUsers,
  errorKinds,
  importResult,
  listRecords,
  startImport,
} from "../support/import.ts";

setDefaultTimeout(60_000);

const mountImport = (service?: TestService) => mountConsole({ path: "/import", ...(service && { service }) });
const press = ({ page }: MountedConsole, name: string | RegExp) => page.getByRole("button", { name }).click();

describe("the check of an import", () => {
  test("sends all rows to the service, and groups the errors that it finds", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.schema.set({ properties: { plan: { enum: ["free", "pro"] } } });
    await service.roster.users.create({ name: "First", email: "PERSON7@example.com" });
    const rows = Array.from({ length: 5000 }, (_, i) => {
      const email = i === 4000 ? "person2@example.com" : `person${i}@example.com`;
      return [i % 1000 === 1 ? "" : `Person ${i}`, i === 4500 ? "nobody" : email, i % 2500 ? "pro" : "gold"];
    });
    await chooseFile(page, "people.csv", `name,email,plan\n${rows.map((row) => row.join()).join("\n")}\n`);
    expect(await checkRows(page)).toBe("4,990 of 5,000 rows can be imported");
    expect(await errorKinds(page)).toEqual([
      "Name A name is required.5 rows",
      'plan The value must be one of "free", "pro".2 rows',
      "Email The email is already in use.2 rows",
      "Email Enter a valid email address, like ada@example.com.1 row",
    ]);
    // One of the emails belongs to a user, and one to another row, thousands of rows before.
    const taken = await page.locator(".import-kind tbody tr").allTextContents();
    expect(taken).toContain("person7@example.com91");
    expect(taken).toContain("person2@example.com4,0021");
    expect(await service.roster.users.list().all()).toHaveLength(1);
    await confirmImport(page);
    expect(await importResult(page)).toBe("4,990 users created, 10 rows failed.");
    expect(errors).toEqual([]);
  });

  test("counts the users that the import would update or skip", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.users.create({ name: "Ada", email: "ada@example.com", plan: "free", level: 1 });
    const table = "name,email,plan\n,ADA@example.com,pro\nBob,bob@example.com,\n,cyd@example.com,x\n";
    const figures = () => page.locator(".import-figures > div").allTextContents();
    await chooseFile(page, "people.csv", table.replace("\n,ADA", "\nAda,ADA"));
    expect(await checkRows(page)).toBe("1 of 3 rows can be imported");
    expect(await figures()).toEqual(["To create1", "Rejected2"]);
    await press(mounted, "Change columns");
    await page.getByLabel("If a user exists").selectOption("Skip the row");
    await checkRows(page);
    expect(await figures()).toEqual(["To create1", "To skip1", "Rejected1"]);
    await press(mounted, "Change columns");
    expect(await page.getByLabel("If a user exists").inputValue()).toBe("skip");
    await press(mounted, "Choose another file");
    await chooseFile(page, "people.csv", table);
    await page.getByLabel("If a user exists").selectOption("Update the user");
    await checkRows(page);
    expect(await figures()).toEqual(["To create1", "To update1", "Rejected1"]);
    expect((await listRecords(service)).length).toBe(1);
    await confirmImport(page);
    expect(await importResult(page)).toBe("1 user created, 1 updated, 1 row failed.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", email: "ADA@example.com", plan: "pro", level: 1 },
      { name: "Bob", email: "bob@example.com" },
    ]);
    // The user who was updated is not at the end of the list.
    await press(mounted, "View users, last changed first");
    await page.getByRole("row", { name: /Ada/ }).waitFor();
    expect(mounted.window.location.search).toBe("?sort=-updatedAt");
    expect(errors).toEqual([]);
  });

  test("names the rows whose user is that of an earlier row, which they would change or not", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.users.create({ name: "Ada", email: "ada@example.com" });
    const rows = [
      "Ada,ada@example.com",
      "Bob,bob@example.com",
      "Bert,BOB@example.com",
      "Adam,ada@example.com",
    ];
    await chooseFile(page, "people.csv", `name,email\n${rows.join("\n")}\n`);
    await page.getByLabel("If a user exists").selectOption("Update the user");
    expect(await checkRows(page)).toBe("All 4 rows can be imported");
    const warning = page.getByText("Rows 4 and 5: an earlier row has the same email.");
    expect(await warning.textContent()).toContain("Correct the file if they are different people.");
    await press(mounted, "Change columns");
    await page.getByLabel("If a user exists").selectOption("Skip the row");
    await checkRows(page);
    expect(await warning.textContent()).toContain("These rows are skipped.");
    expect(errors).toEqual([]);
  });

  test("offers no import if no row can be imported", async () => {
    await using mounted = await mountImport();
    const { page } = mounted;
    await chooseFile(page, "people.csv", "name,note\n,x\n,y\n");
    expect(await checkRows(page)).toBe("0 of 2 rows can be imported");
    expect(await page.getByRole("button", { name: /^Import/ }).count()).toBe(0);
    await page.getByText("Correct the file or change the columns").waitFor();
  });

  test("can be left and found again", async () => {
    await using mounted = await mountImport();
    const { page } = mounted;
    await chooseFile(page, "people.csv", csvOfUsers(10));
    await page.getByLabel("Field for level").fill("grade");
    mounted.open("/keys");
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    mounted.open("/import");
    await page.getByRole("heading", { name: "people.csv" }).waitFor();
    expect(await page.getByLabel("Field for level").inputValue()).toBe("grade");
    await press(mounted, "Check 10 rows");
    mounted.open("/keys");
    await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    mounted.open("/import");
    await page.getByRole("heading", { name: "All 10 rows can be imported" }).waitFor();
  });

  test("says why it was interrupted, and can be repeated", async () => {
    const service = await startService();
    await using mounted = await mountImport(service);
    const { page } = mounted;
    await chooseFile(page, "people.csv", csvOfUsers(10));
    await service.stop();
    await press(mounted, "Check 10 rows");
    await page.getByRole("heading", { name: "The check was interrupted" }).waitFor();
    await page.getByText("Can't reach the service").first().waitFor();
    await page.getByRole("button", { name: "Check again" }).waitFor();
    await press(mounted, "Change columns");
    await page.getByRole("button", { name: "Check 10 rows" }).waitFor();
  });
});

describe("an import with user names", () => {
  test("finds users by the email or by the user name, as the person chooses", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    const { users } = service.roster;
    await users.create({ name: "Ada", email: "ada@example.com", userName: "countess" });
    await users.create({ name: "Bob", email: "bob@example.com" });
    const rows = ["ada@example.com,COUNTESS,pro", "new@example.com,bob@example.com,free"];
    await chooseFile(page, "people.csv", `email,Login,plan\n${rows.join("\n")}\n`);
    const figures = () => page.locator(".import-figures > div").allTextContents();
    expect(await page.getByLabel("Login", { exact: true }).inputValue()).toBe("userName");
    expect(await page.getByLabel("Find users by").count()).toBe(0);
    await page.getByLabel("If a user exists").selectOption("Update the user");
    await page.getByText("A row belongs to the user with the same email.").waitFor();
    await checkRows(page);
    expect(await figures()).toEqual(["To create0", "To update1", "Rejected1"]);

    await press(mounted, "Change columns");
    await page.getByLabel("Find users by").selectOption("User name");
    await page.getByText("A row belongs to the user with the same user name.").waitFor();
    await checkRows(page);
    expect(await figures()).toEqual(["To create0", "To update2", "Rejected0"]);
    await confirmImport(page);
    expect(await importResult(page)).toBe("0 users created, 2 updated.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", email: "ada@example.com", userName: "COUNTESS", plan: "pro" },
      { name: "Bob", email: "new@example.com", userName: "bob@example.com", plan: "free" },
    ]);
    expect(errors).toEqual([]);
  });
});

describe("a large file", () => {
  test("is not checked to its end if most of the first rows fail, unless the person wants it", async () => {
    await using mounted = await mountImport();
    const { page, errors } = mounted;
    await chooseFile(page, "people.csv", `name,note\n${",x\n".repeat(40_000)}${"Ada,y\n".repeat(20_000)}`);
    await press(mounted, "Check 60,000 rows");
    await page.getByRole("heading", { name: "2,000 of the first 2,000 rows are rejected" }).waitFor();
    expect(await page.getByRole("button", { name: /^Import/ }).count()).toBe(0);
    await press(mounted, "Check all 60,000 rows");
    await page.getByRole("heading", { name: "20,000 of 60,000 rows can be imported" }).waitFor();
    expect(await errorKinds(page)).toEqual(["Name A name is required.40,000 rows"]);
    await page.getByText("Not shown: 30,000 rows.").waitFor();
    await page.getByRole("button", { name: "Import 20,000 of 60,000" }).waitFor();
    expect(errors).toEqual([]);
  });
});

describe("a file that can't be imported", () => {
  test("is explained", async () => {
    await using mounted = await mountImport();
    const { page, errors } = mounted;
    const choose = (name: string, content: string | Uint8Array) =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
    const cases: [string, string | Uint8Array, string][] = [
      ["people.csv", new Uint8Array([0x6e, 0x0a, 0x81, 0x0a]), "This file is not text in a known encoding."],
      ["people.xlsx", "PK\u0003\u0004", "This file is a spreadsheet, not CSV."],
      ["people.json", '[{"name":"Ada"},{"na', "The JSON can't be read from item 2 on."],
      ["people.csv", "name\n", "This file has no rows to import."],
      ["people.csv", 'name,x\nAda,1\nBob,"2\n', "The file can't be read from row 3 on."],
    ];
    for (const [name, content, words] of cases) {
      await choose(name, content);
      await page.getByText(words).waitFor();
    }
    await choose("people.csv", "name\nAda\n");
    await page.getByText("CSV with commas, UTF-8, 1 row").waitFor();
    expect(errors).toEqual([]);
  });
});

describe("the columns of an import", () => {
  test("say which required fields no column fills, and suggest the fields that are left", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.schema.set({
      properties: {
        plan: { type: "string" },
        level: { type: "integer" },
        team: { type: "string", default: "none" },
      },
      required: ["plan", "level", "team"],
    });
    await chooseFile(page, "people.csv", "name,plan,rank\nAda,pro,3\n");
    const warning = page.getByText(/The schema requires/);
    expect(await warning.textContent()).toBe(
      "The schema requires level, but no column becomes this field. The service rejects the rows.",
    );
    const suggested = () => mounted.window.document.querySelectorAll(".import-columns datalist option");
    expect([...suggested()].map((option) => option.getAttribute("value"))).toEqual(["level", "team"]);
    await page.getByLabel("Field for rank").fill("level");
    await warning.waitFor({ state: "detached" });
    expect(await checkRows(page)).toBe("All 1 row can be imported");
    expect(errors).toEqual([]);
  });

  test("show how the file was read", async () => {
    await using mounted = await mountImport();
    await chooseFile(mounted.page, "people.csv", Buffer.from("\ufeffname;note\nAda;x\nBob;y\n", "utf16le"));
    await mounted.page.getByText("CSV with semicolons, UTF-16, 2 rows, 46 bytes").waitFor();
  });

  test("leave it to the person what happens to cells of another type", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await chooseFile(page, "people.csv", "name,level\nAda,3\nBob,n/a\nCyd,5\nDan,7\n");
    const misfits = page.getByLabel("1 of 4 values is not a number: “n/a”");
    expect(await misfits.inputValue()).toBe("reject");
    expect(await checkRows(page)).toBe("3 of 4 rows can be imported");
    expect(await errorKinds(page)).toEqual(["level Not a number.1 row"]);
    await press(mounted, "Change columns");
    await misfits.selectOption("Import the column as text");
    expect(await page.getByLabel("Type of level").inputValue()).toBe("text");
    expect(await misfits.count()).toBe(0);
    await page.getByLabel("Type of level").selectOption("number");
    await misfits.selectOption("Leave these values out");
    // Another name of the field is no other decision.
    await page.getByLabel("Field for level").fill("grade");
    expect(await misfits.inputValue()).toBe("omit");
    await page.getByLabel("Field for level").fill("level");
    expect(await checkRows(page)).toBe("All 4 rows can be imported");
    await confirmImport(page);
    expect(await importResult(page)).toBe("4 users created.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada", level: 3 },
      { name: "Bob" },
      { name: "Cyd", level: 5 },
      { name: "Dan", level: 7 },
    ]);
    expect(errors).toEqual([]);
  });

  test("become values as the schema and the users have them", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.users.create({ name: "Old", started: "2020-01-31", size: 1.8 });
    await service.roster.schema.set({ properties: { remote: { type: "boolean" } } });
    const table =
      "name;Started;Size;Remote;Größe (cm)\nAda;31.12.2026;1,75;ja;175,5\nBob;1.2.2026;2;nein;  \n";
    await chooseFile(page, "people.csv", table);
    await startImport(page);
    expect(await importResult(page)).toBe("2 users created.");
    expect((await listRecords(service)).slice(1)).toEqual([
      { name: "Ada", started: "2026-12-31", size: 1.75, remote: true, groesse_cm: 175.5 },
      { name: "Bob", started: "2026-02-01", size: 2, remote: false },
    ]);
    expect(errors).toEqual([]);
  });

  test("can be mapped by hand, with errors at the columns", async () => {
    await using mounted = await mountImport();
    const { page, service, errors } = mounted;
    await service.roster.schema.set({ properties: { x: { type: ["string", "null"] } } });
    await chooseFile(page, "people.csv", "given,family,contact,secret,x\nAda,Lovelace,ada@example.com,s,1\n");
    const disabled = page.locator(".import-begin button[disabled]");
    await page.getByText("Choose the column that has the name.").waitFor();
    expect(await disabled.allTextContents()).toEqual(["Check 1 row"]);
    await page.getByLabel("given", { exact: true }).selectOption("Name");
    await page.getByLabel("family", { exact: true }).selectOption("Name");
    await page.getByText("joined with a space").waitFor();
    await page.getByLabel("contact", { exact: true }).selectOption("Email");
    await page.getByLabel("secret", { exact: true }).selectOption("Custom field");
    const field = page.getByLabel("Field for secret");
    await field.fill("secret");
    await page.getByText("Roster stores no credentials.").waitFor();
    await field.fill("x");
    await page.getByText("Another column already becomes this field.").waitFor();
    await field.fill("a b");
    await page.getByText("Start with a letter, then use up to 63").waitFor();
    expect(await disabled.count()).toBe(1);
    await field.fill("hint");
    await page.getByRole("cell", { name: "Ada Lovelace" }).waitFor();
    await page.getByRole("columnheader", { name: "x (text)" }).waitFor();
    await page.getByLabel("Type of x").selectOption("number");
    await page.getByRole("columnheader", { name: "x (number 1234.5)" }).waitFor();
    await page.getByRole("columnheader", { name: "hint (text)" }).waitFor();
    await page.getByLabel("Type of x").selectOption("text");
    await startImport(page);
    expect(await importResult(page)).toBe("1 user created.");
    expect(await listRecords(service)).toEqual([
      { name: "Ada Lovelace", email: "ada@example.com", hint: "s", x: "1" },
    ]);
    expect(errors).toEqual([]);
  });

  test("mark the cells of the first rows that can't be read", async () => {
    await using mounted = await mountImport();
    const { page } = mounted;
    await chooseFile(page, "people.csv", "name,level\nAda,3\nBob,5\nCyd,n/a\nDan,1,too much\n");
    expect(await page.locator("td.bad").allTextContents()).toEqual([
      "n/aNot a number.",
      "Dan · 1 · too muchThe row has 3 cells, but the first row names 2 columns.",
    ]);
  });
});

describe("an import whose page was closed", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  test("continues in another page without creating a user twice", async () => {
    // Without emails, nothing but the stored results prevents duplicates.
    const file = `name\n${Array.from({ length: 4500 }, (_, i) => (i % 1500 ? `Person ${i}` : "  \u0007")).join("\n")}\n`;
    let stored: string | null = null;
    {
      await using mounted = await mountImport(service);
      const { page, window } = mounted;
      const storage = window.localStorage;
      await chooseFile(page, "people.csv", file);
      await startImport(page);
      await until(
        () => (storage.getItem("roster.unfinished-import") ?? "").includes('"rows":2000'),
        () => "two thousand rows have results",
      );
      stored = storage.getItem("roster.unfinished-import");
    }
    await using mounted = await mountConsole({ service, path: "/keys" });
    const { page, window } = mounted;
    window.localStorage.setItem("roster.unfinished-import", stored ?? "");
    mounted.open("/import");
    await page.getByRole("heading", { name: "The import of people.csv was not finished" }).waitFor();
    await page.getByText("2,000 of 4,500 rows were done").waitFor();
    const choose = (name: string, content: string) =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) });
    await choose("other.csv", file);
    await page.getByText("This is another file").waitFor();
    await choose("people.csv", file);
    expect(await importResult(page)).toBe("4,497 users created, 3 rows failed.");
    const users = await service.roster.users.list().all();
    expect([users.length, new Set(users.map(({ name }) => name)).size]).toEqual([4497, 4497]);
    expect(window.localStorage.getItem("roster.unfinished-import")).toBeNull();
  });

  test("is not offered after a day, to another key, or if its record is damaged", async () => {
    const record = {
      id: "1-2-3-4",
      startedAt: Date.now(),
      rows: 1,
      targets: [{ to: "name" }],
      onConflict: "fail",
      file: { name: "people.csv", size: 9, rowCount: 2 },
      key: null,
    };
    const offered = async (stored: object) => {
      await using mounted = await mountConsole({ service, path: "/keys" });
      mounted.window.localStorage.setItem("roster.unfinished-import", JSON.stringify(stored));
      mounted.open("/import");
      await mounted.page.getByText(/Drop a file here|Drop people.csv here/).waitFor();
      return mounted.page.getByText("was not finished").isVisible();
    };
    expect(await offered(record)).toBe(true);
    expect(await offered({ ...record, startedAt: Date.now() - 24 * 3_600_000 })).toBe(false);
    expect(await offered({ ...record, key: 3 })).toBe(false);
    expect(await offered({ ...record, targets: [{ to: "custom" }] })).toBe(false);
    expect(await offered({ ...record, onConflict: "replace" })).toBe(false);
    expect(await offered({ ...record, match: "userName" })).toBe(true);
    expect(await offered({ ...record, match: "phone" })).toBe(false);
    expect(await offered([])).toBe(false);
  });

  test("can be forgotten", async () => {
    await using mounted = await mountConsole({ service, path: "/keys" });
    const { page, window } = mounted;
    const file = { name: "people.csv", size: 9, rowCount: 2 };
    const record = { id: "1", startedAt: Date.now(), rows: 1, targets: [{ to: "name" }], onConflict: "fail" };
    window.localStorage.setItem("roster.unfinished-import", JSON.stringify({ ...record, file, key: null }));
    mounted.open("/import");
    await press(mounted, "Import something else");
    await page.getByText("Drop a file here").waitFor();
    expect(window.localStorage.getItem("roster.unfinished-import")).toBeNull();
  });
});
