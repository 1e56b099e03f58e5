import type { Page } from "playwright-core";
import { changeSession } from "./user-requests.ts";
import type { View } from "./view.ts";

const path = "/provisioning";
const description = "**/scim/v2/ServiceProviderConfig";

/** The service has another address. */
async function moveTo(page: Page, baseUrl: string): Promise<void> {
  const location = `${baseUrl}/ServiceProviderConfig`;
  await page.route(description, (route) => route.fulfill({ json: { meta: { location } } }));
  await page.reload();
  await page.getByText(baseUrl).first().waitFor();
}

export const provisioningViews: Record<string, View> = {
  provisioning: { path, prepare: (page) => moveTo(page, "https://roster.example/scim/v2") },
  "provisioning-okta": {
    path,
    async prepare(page) {
      await moveTo(page, "https://roster.example/scim/v2");
      await page.getByRole("tab", { name: "Okta" }).click();
      await page.getByRole("heading", { name: "Try it" }).scrollIntoViewIfNeeded();
    },
  },
  "provisioning-end": {
    path,
    prepare: (page) => page.locator(".snippet").last().scrollIntoViewIfNeeded(),
  },
  "provisioning-local": { path },
  "provisioning-unencrypted": { path, prepare: (page) => moveTo(page, "http://roster.example/scim/v2") },
  "provisioning-menu": {
    path,
    prepare: (page) => page.getByRole("button", { name: "Actions for Entra ID" }).click(),
  },
  "provisioning-reader": { path, as: "reader" },
  "provisioning-no-keys": {
    path,
    async prepare(page) {
      await page.route("**/api/keys?*", (route) => route.fulfill({ json: [] }));
      await page.reload();
      await page.getByRole("heading", { name: "No key for provisioning yet" }).waitFor();
    },
  },
  "provisioning-first-key": { path, prepare: (page) => changeSession(page, { auth: "open", key: null }) },
  "provisioning-authentication-off": {
    path,
    prepare: (page) => changeSession(page, { auth: "off", key: null, scopes: ["users:read"] }),
  },
  "provisioning-off": {
    path,
    async prepare(page) {
      await page.route(description, (route) => route.fulfill({ status: 404 }));
      await page.reload();
      await page.getByRole("heading", { name: "SCIM is turned off" }).waitFor();
    },
  },
  "provisioning-loading": {
    path,
    hold: description,
    prepare: (page) => page.getByRole("status").first().waitFor(),
  },
  "provisioning-keys-loading": {
    path,
    hold: "**/api/keys*",
    prepare: (page) => page.getByRole("heading", { name: "Try it" }).waitFor(),
  },
  "provisioning-error": { path, fail: description },
  "provisioning-keys-error": { path, fail: "**/api/keys*" },
};
