import type { Page, Route } from "playwright-core";
import type { User } from "../../../src/client/index.ts";
import type { TestService } from "../../support/service.ts";
import { until } from "../../support/until.ts";
import { press } from "./console.ts";

const people = [
  { name: "Ada Lovelace", email: "ada@example.com", plan: "pro", level: 3 },
  { name: "Émile Zola", email: "emile@example.com", plan: "free" },
  { name: "=1+1", userName: "one", plan: "pro", note: { kept: [1, null] } },
];
export const createUsers = async ({ roster }: TestService) => {
  for (const person of people) await roster.users.create(person);
};
export const importUsers = (count: number) => async (service: TestService) => {
  const lines = Array.from({ length: count }, (_, index) => ({ name: `User ${index + 1}`, plan: "free" }));
  await service.roster.users.import(lines).summary();
};
/** All users in the order of their creation. */
export const listUsers = ({ roster }: TestService): Promise<User[]> => roster.users.list().all();
export const plansOf = async (service: TestService) => (await listUsers(service)).map(({ plan }) => plan);

export const selectionBar = (page: Page) => page.getByRole("region", { name: "Selected users" });
const dialog = (page: Page) => page.getByRole("dialog");
/** Uses the class: elements behind a dialog have no roles. */
export const waitUntilDeselected = (page: Page) =>
  page.locator(".selection-bar").waitFor({ state: "detached" });

export async function selectAll(page: Page): Promise<void> {
  await page.getByRole("checkbox", { name: "Select all loaded users" }).check();
  await selectionBar(page).waitFor();
}

/** Sets the field `plan` of the selected users. */
export async function setPlan(page: Page, value: string): Promise<void> {
  await press(page, "Edit");
  await page.getByLabel("Field").fill("plan");
  await page.getByLabel("Value", { exact: true }).fill(value);
  await dialog(page)
    .getByRole("button", { name: /^Update/ })
    .click();
}

/** Holds requests with this method until `letGo` is called. `arrived` waits until so many are held. */
export async function holdRequests(page: Page, method: string) {
  const waiting: Route[] = [];
  let open = false;
  await page.route("**/api/users/*", (route) => {
    if (open || route.request().method() !== method) return route.continue();
    waiting.push(route);
  });
  return {
    waiting,
    arrived: (count: number) => until(() => waiting.length >= count),
    /** Lets some requests go, or all of them and the later ones. */
    letGo: async (count = Number.POSITIVE_INFINITY) => {
      open = count === Number.POSITIVE_INFINITY;
      for (const route of waiting.splice(0, count)) await route.continue();
    },
  };
}
