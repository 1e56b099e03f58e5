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
});
