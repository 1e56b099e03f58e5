import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { mountConsole } from "../support/dom/mount-console.ts";
import { createAda, everyType, statusErrors, userDrawer, userPage } from "../support/user-form.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await createAda(service);
});
afterAll(() => service?.stop());

const openForm = () => mountConsole({ service, path: "/users/new" });

describe("a new user", () => {
  test("can be entered as JSON, and switched to fields and back", async () => {
    await using opened = await openForm();
    const { page, errors } = opened;
    const { drawer, name, json, value, button, waitUntilClosed } = userDrawer(page);
    await name.fill("Grace");
    await drawer.getByRole("radio", { name: "JSON" }).check();
    await json.fill('{\n  "text": "a\\nb",\n  "number": -1.5\n  "yes": true\n}');
    await drawer.getByText("Line 4, column 3: expected a comma or }.").waitFor();
    await drawer.getByRole("radio", { name: "Fields" }).click();
    expect(await json.isFocused()).toBe(true);
    await json.fill(JSON.stringify(everyType));
    await drawer.getByRole("radio", { name: "Fields" }).check();
    expect(await value("text").inputValue()).toBe("a\nb");
    expect(await value("yes").inputValue()).toBe("true");
    await value("number").fill("2");
    await drawer.getByRole("radio", { name: "JSON" }).check();
    expect(JSON.parse(await json.inputValue())).toEqual({ ...everyType, number: 2 });
    await button("Create user").click();
    await waitUntilClosed();
    expect(await service.roster.users.get(2)).toMatchObject({ name: "Grace", ...everyType, number: 2 });
    expect(errors).toEqual([]);
  });

  test("shows errors at their fields, and focuses the first one", async () => {
    await using opened = await openForm();
    const { page, errors } = opened;
    const { drawer, name, email, value, addField, button } = userDrawer(page);
    await email.fill("nowhere");
    await addField("password", "Text", "x");
    await addField("age", "Number", "9007199254740993");
    await button("Create user").click();
    await drawer.getByText("too many digits to store exactly").waitFor();
    expect(await value("age").isFocused()).toBe(true);
    expect(errors).toEqual([]);
    await value("age").fill("36");
    await button("Create user").click();
    await drawer.getByText("Roster stores no credentials").waitFor();
    await drawer.getByText("A name is required").waitFor();
    await drawer.getByText("Enter a valid email address").waitFor();
    expect(await name.isFocused()).toBe(true);
    await name.fill("Grace");
    await drawer.getByText("A name is required").waitFor({ state: "hidden" });
    await drawer.getByText("Roster stores no credentials").waitFor();
    // In the JSON form, the error names the field's line.
    await drawer.getByRole("radio", { name: "JSON" }).check();
    await drawer.getByText("Line 2, password: Roster stores no credentials").waitFor();
    expect(errors).toEqual(statusErrors(422));
  });

  test("shows an error of the whole record above the fields", async () => {
    await using opened = await openForm();
    const { drawer, name, addField, button } = userDrawer(opened.page);
    await name.fill("Grace");
    await addField("bio", "Text", "x".repeat(17_000));
    await button("Create user").click();
    await drawer.getByRole("alert").getByText("The limit is 16384 bytes.").waitFor();
    expect(opened.errors).toEqual(statusErrors(422));
  });

  test("links to the user who has the same email", async () => {
    await using opened = await openForm();
    const { page, window, errors } = opened;
    const { drawer, name, email, button } = userDrawer(page);
    await name.fill("Another Ada");
    await email.fill("ADA@example.com");
    await button("Create user").click();
    await drawer.getByText(/is already in use/).waitFor();
    expect(await email.isFocused()).toBe(true);
    await drawer.getByRole("link", { name: "Open Ada Lovelace" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
    await until(() => window.location.pathname === "/users/1");
    await userPage(page).main.getByRole("heading", { level: 1, name: "Ada Lovelace" }).waitFor();
    expect(errors).toEqual(statusErrors(409));
  });

  test("can have a user name, and links to the user who has the same one", async () => {
    const { users } = service.roster;
    const grace = await users.create({ name: "Grace Hopper", userName: "amazing" });
    const linus = await users.create({ name: "Linus", email: "linus@example.com" });
    await using opened = await openForm();
    const { page, errors } = opened;
    const { drawer, name, email, userName, button, waitUntilClosed } = userDrawer(page);
    await name.fill("Another one");
    await drawer.getByText("Without one, the email is the user name.").waitFor();
    await userName.fill("x".repeat(257));
    await button("Create user").click();
    await drawer.getByText("The user name must not be longer than 256 characters.").waitFor();
    expect(await userName.isFocused()).toBe(true);

    await userName.fill("Amazing");
    await button("Create user").click();
    await drawer.getByText("Another user has this user name.").waitFor();
    const linkTo = (user: string) => drawer.getByRole("link", { name: `Open ${user}` });
    expect(await linkTo("Grace Hopper").getAttribute("href")).toBe(`/users/${grace.id}`);

    // The email of a user without a user name is the user name.
    await userName.fill("LINUS@example.com");
    await button("Create user").click();
    await linkTo("Linus").waitFor();
    expect(await linkTo("Linus").getAttribute("href")).toBe(`/users/${linus.id}`);
    await userName.fill("linus@example.org ");
    await email.fill("another@example.com");
    await button("Create user").click();
    await waitUntilClosed();
    const created = await users.find({ email: "another@example.com" });
    expect(created).toMatchObject({ userName: "linus@example.org" });

    // The email of a new user is its user name, too.
    opened.open("/users/new");
    await name.fill("One more");
    await email.fill("linus@example.org");
    await button("Create user").click();
    await linkTo("Another one").waitFor();
    expect(await email.getAttribute("aria-invalid")).toBe("true");
    expect(errors).toEqual(statusErrors(422, 409, 409, 409));
  });

  test("has no custom fields with names that Roster defines or refuses", async () => {
    await using opened = await openForm();
    const { drawer, name, addField, removeField, button } = userDrawer(opened.page);
    await name.fill("Grace");
    await addField("groups", "Text", "admins");
    await button("Create user").click();
    await drawer.getByText("Choose another name, such as groupNames.").waitFor();
    await removeField("groups");
    await addField("userName", "Text", "grace");
    await addField("scim", "JSON", "{}");
    await button("Create user").click();
    await drawer.getByText("Use the field above instead.").waitFor();
    await drawer.getByText("SCIM clients keep this field.").waitFor();
    expect(opened.errors).toEqual(statusErrors(422));
  });
});

describe("a user with a user name and data of SCIM", () => {
  test("shows both, changes the user name alone, and removes it", async () => {
    const { users } = service.roster;
    const scim = { externalId: "a-1", phoneNumbers: [{ value: "+31 6" }] };
    const { id } = await users.create({ name: "Hedy", email: "hedy@example.com", userName: " hedy ", scim });
    await using opened = await mountConsole({ service, path: `/users/${id}` });
    const { main, name, userName, button, waitUntilSaved } = userPage(opened.page);
    await userName.waitFor();
    expect(await userName.inputValue()).toBe(" hedy ");
    expect(JSON.parse(await main.locator(".scim-data code").textContent())).toEqual(scim);
    expect(await main.getByLabel("Field name").count()).toBe(0);

    // Another change keeps the spaces that a program has sent.
    await name.fill("Hedy Lamarr");
    await button("Save").click();
    await waitUntilSaved();
    expect(await users.get(id)).toMatchObject({ name: "Hedy Lamarr", userName: " hedy ", scim });
    await userName.fill("hedy.lamarr");
    await button("Save").click();
    await waitUntilSaved();
    await main.getByText(/User name.* hedy .*hedy\.lamarr/).waitFor();
    await userName.fill("");
    await button("Save").click();
    await waitUntilSaved();
    expect(await users.get(id)).not.toHaveProperty("userName");
    expect(await users.get(id)).toMatchObject({ email: "hedy@example.com", scim });
    expect(opened.errors).toEqual([]);
  });
});
