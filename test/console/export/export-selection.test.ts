import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { mountConsole } from "../support/dom/mount-console.ts";

/** The console makes the URL of each file that it saves. */
const files = spyOn(URL, "createObjectURL");
let service: TestService;
beforeEach(async () => {
  service = await startService();
  // Each user has one of three fields.
  const people = Array.from({ length: 130 }, (_, index) => ({
    name: `User ${index + 1}`,
    [`field${index % 3}`]: "two\nlines",
  }));
  await service.roster.users.import(people).summary();
});
afterEach(async () => {
  files.mockClear();
  await service.stop();
});

async function savedText(): Promise<string> {
  expect(files).toHaveBeenCalledTimes(1);
  const [file] = files.mock.calls[0] ?? [];
  if (!(file instanceof Blob)) throw new Error("The console has not saved a file.");
  return file.text();
}
const namesIn = (text: string) => [...text.matchAll(/User \d+/g)].map(([name]) => name);
/** The names of the users with these ids, the highest first. */
const namesFrom = (last: number, first: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => `User ${last - index}`);

/** Opens a list, and selects the users that are loaded. */
async function selectUsers(path: string) {
  const mounted = await mountConsole({ service, path });
  const { page, errors } = mounted;
  const bar = page.getByRole("region", { name: "Selected users" });
  const selectAll = () => page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await selectAll();
  return {
    page,
    errors,
    bar,
    selectAll,
    async openExport(title: string) {
      await bar.getByRole("button", { name: "Export" }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
    },
    async save(format: "CSV" | "NDJSON") {
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: format }).check();
      await dialog.getByRole("button", { name: "Export" }).click();
    },
    [Symbol.asyncDispose]: () => mounted[Symbol.asyncDispose](),
  };
}

describe("the export of selected users", () => {
  test("saves users of several searches in one CSV, with one header", async () => {
    await using selected = await selectUsers("/users");
    const { page, bar, errors } = selected;
    await bar.getByText("100 selected").waitFor();
    await page.getByRole("searchbox").fill("User 2");
    await page.getByRole("heading", { name: /^Users ?11$/ }).waitFor();
    await selected.selectAll();
    await bar.getByText("111 selected").waitFor();
    await selected.openExport("Export 111 users");
    await selected.save("CSV");
    await page.getByText(/^111 users, [\d.]+ kB$/).waitFor();
    const text = await savedText();
    // In the order of the table, then the users of the other search.
    const inTable = [...namesFrom(29, 20), "User 2"];
    expect(namesIn(text)).toEqual([...inTable, ...namesFrom(130, 31)]);
    expect(text.match(/^id,/gm)).toHaveLength(1);
    await bar.getByText("111 selected").waitFor();
    expect(errors).toEqual([]);
  });

  test("saves the current versions as NDJSON", async () => {
    await using selected = await selectUsers("/users?q=User+2&sort=name");
    await selected.openExport("Export 11 users");
    const { id } = (await service.roster.users.update(2, { plan: "new" })) ?? {};
    await selected.save("NDJSON");
    await selected.page.getByText(/^11 users, /).waitFor();
    const users = await service.roster.users.list({ q: "User 2", sort: "name" }).all();
    expect(
      (await savedText())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(users);
    expect(users.find((user) => user.id === id)).toMatchObject({ plan: "new" });
    expect(selected.errors).toEqual([]);
  });

  test("says how many users have been deleted since", async () => {
    await using selected = await selectUsers("/users?name=User+1&name=User+2&name=User+3");
    await selected.openExport("Export 3 users");
    await service.roster.users.delete(2);
    await selected.save("CSV");
    await selected.page.getByText("2 of 3 users; 1 has been deleted").waitFor();
    expect(namesIn(await savedText())).toEqual(["User 3", "User 1"]);
  });

  test("saves no file without users", async () => {
    await using selected = await selectUsers("/users?name=User+1");
    await selected.openExport("Export 1 user");
    await service.roster.users.delete(1);
    await selected.save("NDJSON");
    await selected.page.getByText("All of these users have been deleted. Nothing was saved.").waitFor();
    expect(files).not.toHaveBeenCalled();
  });

  test("saves all users that match, also those that are not loaded", async () => {
    await using selected = await selectUsers("/users?q=User&sort=-id");
    const { page, bar, errors } = selected;
    await page.getByRole("button", { name: "Select all 130 matching" }).click();
    await bar.getByText("All 130 matching users selected").waitFor();
    await selected.openExport("Export all 130 matching users");
    await page.getByText("The 130 users where “User” is in the name or email.").waitFor();
    await selected.save("NDJSON");
    await page.getByText(/^users-.*\.ndjson saved$/).waitFor();
    expect(namesIn(await savedText())).toEqual(namesFrom(130, 1));
    expect(errors).toEqual([]);
  });
});
