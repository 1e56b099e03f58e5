import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../../support/service.ts";
import { mountConsole } from "../support/dom/mount-console.ts";
import { statusErrors, userDrawer, userPage } from "../support/user-form.ts";

const schema = {
  properties: {
    nickname: { type: "string" },
    department: { enum: ["sales", "support"], title: "Department", description: "Where the person works." },
    country: { type: "string", minLength: 2, maxLength: 2 },
    level: { type: "integer", minimum: 1, maximum: 9, default: 1 },
    started: { type: "string", format: "date" },
    plan: { enum: ["free", "pro"], default: "free" },
    remote: { type: "boolean" },
    consent: { type: "boolean" },
    skills: { type: "array", items: { type: "string" } },
    address: { type: "object" },
  },
  required: ["country", "department", "consent"],
};
const old = {
  department: "garden",
  country: "DE",
  consent: true,
  level: "high",
  skills: ["maths"],
  extra: 7,
};

let service: TestService;
let oldId: number;
beforeAll(async () => {
  service = await startService();
  const user = await service.roster.users.create({ name: "Old", email: "old@example.com", ...old });
  oldId = user.id;
  await service.roster.schema.set(schema);
});
afterAll(() => service?.stop());

const created = (email: string) => service.roster.users.find({ email });

describe("a new user", () => {
  test("has a control for each field of the schema, required ones first, and errors at them", async () => {
    await using opened = await mountConsole({ service, path: "/users/new" });
    const { page, errors } = opened;
    const { drawer, email, name, button, waitUntilClosed } = userDrawer(page);
    await drawer.getByRole("switch", { name: /consent/ }).waitFor();
    const labels = await drawer.locator(".described-fields .field-label").allTextContents();
    expect(labels.slice(0, 4)).toEqual([
      "Department required",
      "country required",
      "consent required",
      "nickname",
    ]);
    await drawer.getByText("Where the person works.").waitFor();
    await drawer.getByText("A whole number from 1 to 9. By default 1.").waitFor();
    expect(await drawer.getByLabel("plan").inputValue()).toBe('"free"');

    // Errors of the schema are there at once, although the service has not come to them.
    await button("Create user").click();
    await drawer.getByText("A name is required").waitFor();
    expect(await drawer.getByText("This field is required.").count()).toBe(2);
    expect(await drawer.getByRole("alert").count()).toBe(0);

    await name.fill("New");
    await email.fill("new@example.com");
    await drawer.getByLabel("country").fill("Germany");
    await drawer.getByLabel("Department").selectOption("support");
    await drawer.getByLabel("level").fill("12");
    await button("Create user").click();
    await drawer.getByText("Enter a number of at most 9.").waitFor();
    expect(await drawer.getByLabel("country").getAttribute("aria-invalid")).toBe("true");
    await drawer.getByLabel("country").fill("DE");
    await drawer.getByLabel("level").fill("");
    await drawer.getByLabel("started").fill("2026-02-03");
    await drawer.getByRole("switch", { name: "remote" }).click();
    await drawer.getByLabel("skills", { exact: true }).fill("maths, poetry");
    await button("Create user").click();
    await waitUntilClosed();
    const user = await created("new@example.com");
    expect(user).toMatchObject({
      department: "support",
      country: "DE",
      consent: false,
      level: 1,
      plan: "free",
      started: "2026-02-03",
      remote: true,
      skills: ["maths", "poetry"],
    });
    expect(user).not.toHaveProperty("nickname");
    expect(user).not.toHaveProperty("active");
    expect(errors).toEqual(statusErrors(422, 422));
  });

  test("shows fields that became required after the form was opened", async () => {
    await using other = await startServiceWithSchema({});
    await using opened = await mountConsole({ service: other.service, path: "/users/new" });
    const { drawer, name, button, waitUntilClosed } = userDrawer(opened.page);
    await name.fill("New");
    await other.service.roster.schema.set({ properties: { team: { enum: ["a", "b"] } }, required: ["team"] });
    await button("Create user").click();
    await drawer.getByLabel(/^team/).selectOption("b");
    await button("Create user").click();
    await waitUntilClosed();
    expect(await other.service.roster.users.get(2)).toMatchObject({ name: "New", team: "b" });
  });
});

describe("the page of a user", () => {
  test("shows values that the schema does not allow, and can repair them", async () => {
    await using opened = await mountConsole({ service, path: `/users/${oldId}` });
    const { main, button, value, chooseType, waitUntilSaved } = userPage(opened.page);
    expect(await main.getByLabel("Department").inputValue()).toBe('"garden"');
    await main.getByText("garden (not allowed)").waitFor();
    // A text in a field for numbers is shown as what it is.
    expect(await main.getByLabel("level", { exact: true }).inputValue()).toBe("high");
    expect(await value("extra").inputValue()).toBe("7");
    await main.getByLabel("Department").selectOption("sales");
    await chooseType("level", "Number");
    await main.getByLabel("level", { exact: true }).fill("3");
    await main.getByRole("button", { name: "Remove maths" }).click();
    await main.getByLabel("nickname").fill("O");
    await button("Save").click();
    await waitUntilSaved();
    const user = await service.roster.users.get(oldId);
    expect(user).toMatchObject({ department: "sales", level: 3, nickname: "O", extra: 7 });
    expect(user).not.toHaveProperty("skills");
    expect(opened.errors).toEqual([]);
  });

  test("switches a user off and on, and removes values", async () => {
    await using opened = await mountConsole({ service, path: `/users/${oldId}` });
    const { main, button, waitUntilSaved } = userPage(opened.page);
    const active = main.getByRole("switch", { name: "Active" });
    expect(await active.getAttribute("aria-checked")).toBe("true");
    await active.click();
    await main.getByRole("switch", { name: "remote" }).click();
    await button("Save").click();
    await waitUntilSaved();
    expect(await service.roster.users.get(oldId)).toMatchObject({ active: false, remote: true });
    await main.getByRole("button", { name: "Clear remote" }).click();
    await active.click();
    await button("Save").click();
    await waitUntilSaved();
    const user = await service.roster.users.get(oldId);
    expect(user).toMatchObject({ active: true });
    expect(user).not.toHaveProperty("remote");
    // A required value can be changed, but not removed.
    expect(await main.getByRole("button", { name: "Clear consent" }).count()).toBe(0);
  });

  test("keeps an added field where it is typed, and says that its name is taken", async () => {
    await using opened = await mountConsole({ service, path: `/users/${oldId}` });
    const { main, button, addField } = userPage(opened.page);
    await main.getByLabel("country").waitFor();
    await addField("country", "Text", "FR");
    await button("Save").click();
    await main.getByText("Another field already has this name.").waitFor();
    await main.getByLabel("Field name").last().fill("countryCode");
    await button("Save").click();
    await main.locator(".save-bar").waitFor({ state: "detached" });
    expect(await service.roster.users.get(oldId)).toMatchObject({ country: "DE", countryCode: "FR" });
  });

  test("offers no other fields if the schema allows none", async () => {
    await using other = await startServiceWithSchema({
      properties: { team: { type: "string" } },
      additionalProperties: false,
    });
    await using opened = await mountConsole({ service: other.service, path: "/users/1" });
    const { main, button } = userPage(opened.page);
    await main.getByLabel("team").waitFor();
    await main.getByLabel("old").waitFor();
    expect(await button("Add field").count()).toBe(0);
  });
});

/** A service with one user from the time before the schema. */
async function startServiceWithSchema(schema: object) {
  const service = await startService();
  await service.roster.users.create({ name: "Ada", old: true });
  await service.roster.schema.set({ ...schema });
  return { service, [Symbol.asyncDispose]: () => service.stop() };
}
