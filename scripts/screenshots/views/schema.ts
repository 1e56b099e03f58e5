import type { Page } from "playwright-core";
import { press } from "../../../test/console/support/console.ts";
import type { View } from "./view.ts";

const SCHEMA = "**/api/schema";

/** The line of a field, which opens its settings. */
const line = (page: Page, field: string) =>
  page.getByRole("listitem", { name: field }).locator(".schema-line");

/** Shows another schema than that of the service. */
async function showSchema(page: Page, schema: object, version = 3): Promise<void> {
  await page.route(SCHEMA, (route) =>
    route.request().method() === "GET"
      ? route.fulfill({ json: schema, headers: { etag: `"${version}"` } })
      : route.fallback(),
  );
  await page.reload();
  await page.getByRole("heading", { name: "Schema", level: 1 }).waitFor();
}

const everyType = {
  properties: {
    badge: { type: "string", pattern: "^B-\\d{4}$", "x-unique": true, title: "Badge number", maxLength: 6 },
    birthday: { type: ["string", "null"], format: "date" },
    level: { type: "integer", minimum: 1, maximum: 9, multipleOf: 1, default: 1 },
    score: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    isManager: { type: "boolean", default: false },
    languages: {
      type: "array",
      items: { type: "string", enum: ["English", "French", "German", "Portuguese", "Japanese"] },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
    address: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    status: { anyOf: [{ const: "here" }, { type: "integer" }] },
    aMuchLongerNameOfACustomFieldThatSomebodyHasChosen: {
      type: "string",
      description: "A description that is long enough to need more than one line on a phone",
    },
    note: {},
  },
  required: ["badge", "level"],
  additionalProperties: false,
};

/** Changes a field, so that the schema is not saved. */
async function requirePlan(page: Page): Promise<void> {
  await line(page, "plan").click();
  await page.getByRole("listitem", { name: "plan" }).getByLabel("Required").check();
}

async function addField(page: Page, name: string): Promise<void> {
  await press(page, "Add field");
  await page.getByRole("textbox", { name: "Field", exact: true }).last().fill(name);
}

const openVersions = async (page: Page) => {
  await press(page, "Show versions");
  await page.getByRole("grid", { name: "Versions of the schema" }).locator("[data-index]").first().waitFor();
};
const openViolations = async (page: Page) => {
  await press(page, "Find users");
  await page
    .getByRole("grid", { name: "Users that do not conform" })
    .locator("[data-index]")
    .first()
    .waitFor();
};

const mismatch = {
  status: 412,
  contentType: "application/problem+json",
  json: {
    type: "/problems/version-mismatch",
    title: "Another version",
    status: 412,
    detail: "The schema has another version.",
  },
};

export const schemaViews: Record<string, View> = {
  schema: { path: "/schema" },
  "schema-loading": {
    path: "/schema",
    hold: SCHEMA,
    prepare: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  "schema-error": { path: "/schema", fail: SCHEMA },
  "schema-empty": { path: "/schema", onEmptyService: true },
  "schema-blank": {
    path: "/schema",
    onEmptyService: true,
    prepare: (page) => press(page, "Start empty"),
  },
  "schema-from-users": {
    path: "/schema",
    async prepare(page) {
      await showSchema(page, {}, 0);
      await press(page, "Start from your users");
      await page.locator(".schema-line").first().waitFor();
    },
  },
  "schema-reader": {
    path: "/schema",
    as: "reader",
    prepare: (page) => line(page, "plan").click(),
  },
  "schema-field": { path: "/schema", prepare: (page) => line(page, "plan").click() },
  "schema-types": {
    path: "/schema",
    prepare: (page) => showSchema(page, everyType),
  },
  "schema-text": {
    path: "/schema",
    async prepare(page) {
      await showSchema(page, everyType);
      await line(page, "badge").click();
    },
  },
  "schema-number": {
    path: "/schema",
    async prepare(page) {
      await showSchema(page, everyType);
      await line(page, "level").click();
      await page.getByRole("button", { name: "Remove level" }).scrollIntoViewIfNeeded();
    },
  },
  "schema-list": {
    path: "/schema",
    async prepare(page) {
      await showSchema(page, everyType);
      await line(page, "languages").click();
      await page.getByRole("button", { name: "Remove languages" }).scrollIntoViewIfNeeded();
    },
  },
  "schema-object": {
    path: "/schema",
    async prepare(page) {
      await showSchema(page, everyType);
      await line(page, "address").click();
      await page.getByRole("button", { name: "Remove address" }).scrollIntoViewIfNeeded();
    },
  },
  "schema-field-json": {
    path: "/schema",
    async prepare(page) {
      await line(page, "plan").click();
      await press(page, "Edit as JSON");
    },
  },
  "schema-new-field": {
    path: "/schema",
    prepare: (page) => addField(page, "badge"),
  },
  "schema-invalid": {
    path: "/schema",
    async prepare(page) {
      await addField(page, "department");
      await line(page, "seats").click();
      await page.getByRole("listitem", { name: "seats" }).getByLabel("At least").fill("one");
      await press(page, "Check and save");
      await page.locator(".field-error").first().waitFor();
    },
  },
  "schema-refused": {
    path: "/schema",
    async prepare(page) {
      await line(page, "department").click();
      await page.getByRole("listitem", { name: "department" }).getByLabel("Pattern").fill("[a-");
      await press(page, "Check and save");
      await page.getByRole("alert").first().waitFor();
    },
  },
  "schema-json": { path: "/schema", prepare: (page) => page.getByText("JSON", { exact: true }).click() },
  "schema-json-invalid": {
    path: "/schema",
    async prepare(page) {
      await page.getByText("JSON", { exact: true }).click();
      await page.getByLabel("Schema as JSON").fill('{ "properties": { "plan": ');
      await press(page, "Check and save");
      await page.locator(".field-error").waitFor();
    },
  },
  "schema-checking": {
    path: "/schema",
    async prepare(page) {
      await page.route("**/api/schema?*", () => undefined);
      await requirePlan(page);
      await press(page, "Check and save");
      await page.getByText("Checking all users").first().waitFor();
    },
  },
  "schema-check": {
    path: "/schema",
    async prepare(page) {
      await requirePlan(page);
      await press(page, "Check and save");
      await page.getByText("would not conform").waitFor();
    },
  },
  "schema-check-clean": {
    path: "/schema",
    onEmptyService: true,
    async prepare(page) {
      await press(page, "Start empty");
      await page.getByRole("textbox", { name: "Field", exact: true }).fill("department");
      await press(page, "Check and save");
      await page.getByText("There are no users yet").waitFor();
    },
  },
  "schema-conflict": {
    path: "/schema",
    async prepare(page) {
      await page.route(SCHEMA, (route) =>
        route.request().method() === "PUT" ? route.fulfill(mismatch) : route.fallback(),
      );
      await requirePlan(page);
      await press(page, "Check and save");
      await press(page, "Save anyway");
      await page.getByText("Someone else changed the schema").waitFor();
    },
  },
  "schema-others": {
    path: "/schema",
    async prepare(page) {
      await page.route(SCHEMA, (route) => route.fulfill({ json: everyType, headers: { etag: '"9"' } }));
      await requirePlan(page);
      await page.getByText("saved version 9").waitFor();
    },
  },
  "delete-schema": { path: "/schema", prepare: (page) => press(page, "Delete schema") },
  versions: {
    path: "/schema",
    async prepare(page) {
      await openVersions(page);
      await page.getByRole("grid", { name: "Versions of the schema" }).scrollIntoViewIfNeeded();
    },
  },
  "versions-details": {
    path: "/schema",
    async prepare(page) {
      await openVersions(page);
      const list = page.getByRole("grid", { name: "Versions of the schema" });
      await list.locator("[data-toggle]").first().click();
      await list.locator(".snippet").scrollIntoViewIfNeeded();
    },
  },
  "versions-menu": {
    path: "/schema",
    async prepare(page) {
      await openVersions(page);
      await page.getByRole("button", { name: "Actions for Version 1" }).click();
    },
  },
  "versions-error": {
    path: "/schema",
    fail: "**/api/schema/versions*",
    async prepare(page) {
      await press(page, "Show versions");
      await page.getByRole("alert").scrollIntoViewIfNeeded();
    },
  },
  violations: {
    path: "/schema",
    async prepare(page) {
      await openViolations(page);
      await page.getByRole("grid", { name: "Users that do not conform" }).scrollIntoViewIfNeeded();
    },
  },
  "violations-details": {
    path: "/schema",
    async prepare(page) {
      await openViolations(page);
      const list = page.getByRole("grid", { name: "Users that do not conform" });
      await list.locator("[data-toggle]").first().click();
      await list.locator(".values").first().scrollIntoViewIfNeeded();
    },
  },
  "violations-menu": {
    path: "/schema",
    async prepare(page) {
      await openViolations(page);
      const list = page.getByRole("grid", { name: "Users that do not conform" });
      await list.locator("[data-menu]").first().click();
    },
  },
  "violations-none": {
    path: "/schema",
    async prepare(page) {
      await page.route("**/api/schema/violations*", (route) => route.fulfill({ json: [] }));
      await press(page, "Find users");
      await page.getByText("All users conform").scrollIntoViewIfNeeded();
    },
  },
  "violations-loading": {
    path: "/schema",
    hold: "**/api/schema/violations*",
    async prepare(page) {
      await press(page, "Find users");
      await page.getByRole("button", { name: "Stop" }).scrollIntoViewIfNeeded();
    },
  },
  "violations-error": {
    path: "/schema",
    fail: "**/api/schema/violations*",
    async prepare(page) {
      await press(page, "Find users");
      await page.getByRole("alert").scrollIntoViewIfNeeded();
    },
  },
};
