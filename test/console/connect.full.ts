import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { tokenize } from "../../src/console/connect/highlight.tsx";
import { openBrowser } from "../support/browser.ts";
import { overflowWidth, readSessionHeaders } from "../support/browser-page.ts";
import { root } from "../support/paths.ts";
import { shellCommand } from "../support/process/roster.ts";
import type { TestService } from "../support/service.ts";
import { accessibilityErrorsInBothThemes, openConsole } from "./support/console.ts";
import { type ServiceWithKeys, startServiceWithKeys } from "./support/service-with-keys.ts";

setDefaultTimeout(120_000);

test.each([
  [
    "shell",
    `curl 'http://x/#a' \\\n  -H "A: b" # lists users\nread A && export A`,
    [
      "keyword curl",
      "string 'http://x/#a'",
      'string "A: b"',
      "comment # lists users",
      "keyword read",
      "keyword export",
    ],
  ],
  [
    "typescript",
    'const a = await f("http://x/\\" for"); // of a\nconstant.of',
    ["keyword const", "keyword await", 'string "http://x/\\" for"', "comment // of a", "keyword of"],
  ],
] as const)("highlights comments, strings and keywords of %s", (language, code, expected) => {
  const tokens = tokenize(code, language);
  expect(tokens.map(({ text }) => text).join("")).toBe(code);
  expect(tokens.filter(({ kind }) => kind).map(({ kind, text }) => `${kind} ${text}`)).toEqual([...expected]);
});

const tsc = join(root, "node_modules", ".bin", "tsc");

let browser: Browser;
let started: ServiceWithKeys;
/** Working directory of the snippets: `roster` is on the path, and `roster-client` resolves to src/client. */
let folder: string;
beforeAll(async () => {
  [browser, started, folder] = await Promise.all([
    openBrowser(),
    startServiceWithKeys(),
    mkdtemp(join(tmpdir(), "roster-connect-")),
  ]);
  const command = join(folder, "roster");
  await writeFile(command, `#!/bin/sh\nexec ${shellCommand([])} "$@"\n`);
  await chmod(command, 0o755);
  await writeFile(join(folder, "people.csv"), "name,email,department\nLinus,linus@example.com,kernels\n");
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "ESNext",
    module: "Preserve",
    lib: ["ESNext", "DOM", "DOM.AsyncIterable"],
    types: [],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    paths: { "roster-client": [join(root, "src", "client", "index.ts")] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["snippet.ts"] }));
}, 120_000);
afterAll(async () => {
  await browser.close();
  await started.service.stop();
  await rm(folder, { recursive: true });
});

/** The code of a tab's snippets, by snippet name. */
async function snippets(page: Page, tool: string): Promise<Record<string, string>> {
  await page.getByRole("tab", { name: tool }).click();
  const panel = page.getByRole("tabpanel", { name: tool });
  await panel.waitFor();
  const found = await panel
    .locator("[data-snippet]")
    .evaluateAll((figures) =>
      figures.map((figure) => [
        figure.getAttribute("data-snippet"),
        figure.querySelector("code")?.textContent,
      ]),
    );
  return Object.fromEntries(found);
}

async function run(command: readonly string[], key?: string, input = ""): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      ...(key !== undefined && { ROSTER_API_KEY: key }),
    },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")}: ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

const shell = (script: string, key?: string) => run(["sh", "-e", "-c", script], key);
/** Runs a script that asks for the key. */
const signIn = (script: string, key = "") => run(["sh", "-e", "-c", script], undefined, key);

/** Runs every snippet of the page. */
async function runSnippets(page: Page, { roster }: Pick<TestService, "roster">, key?: string): Promise<void> {
  const curl = await snippets(page, "curl");
  expect(JSON.parse(await shell(`${curl.create}`, key))).toMatchObject({ id: 1, name: "Ada Lovelace" });
  expect(JSON.parse(await shell(`${curl.change}`, key))).toMatchObject({ department: "research" });
  const list = await shell(`${curl.list}`, key);
  expect(JSON.parse(list)).toMatchObject([{ name: "Ada Lovelace" }]);
  expect(list).toEndWith("]\n");

  const { client } = await snippets(page, "TypeScript");
  await writeFile(join(folder, "snippet.ts"), `${client}\n`);
  await run([tsc, "--project", "."]);
  expect(await run([process.execPath, "snippet.ts"], key)).toBe("2 Grace Hopper compilers\n");

  const cli = await snippets(page, "Command line");
  const exported = join(folder, "users.csv");
  await rm(exported, { force: true });
  const output = await signIn(`${cli.signIn}\n${cli.users}\n${cli.files}`, key);
  expect(output).toContain("Alan Turing");
  expect(await Bun.file(exported).text()).toContain("Grace Hopper");
  const names = (await roster.users.list().all()).map(({ name }) => name);
  expect(names).toEqual(["Ada Lovelace", "Grace Hopper", "Alan Turing", "Linus"]);
}

describe("snippets work", () => {
  test("without keys", async () => {
    await using opened = await openConsole(browser, { path: "/connect" });
    const { page, service, errors } = opened;
    await page.getByText("No key required yet.").waitFor();
    expect(await page.getByText("ROSTER_API_KEY").count()).toBe(0);
    await runSnippets(page, service);
    expect(errors).toEqual([]);
  });

  test("with a key, which no snippet contains", async () => {
    const { key, roster } = started;
    await using opened = await openConsole(browser, { service: started.service, path: "/connect", key });
    const { page } = opened;
    await page.getByRole("link", { name: "Create a key" }).waitFor();
    await runSnippets(page, { roster }, key);
    const reading = await page.locator('[data-snippet="key"] code').textContent();
    const use = `curl -sS ${started.service.url}/api/session -H "x-api-key: $ROSTER_API_KEY"`;
    const output = await run(["bash", "-c", `{ ${reading}; } <<< "${key}"; ${use}`]);
    expect(JSON.parse(output)).toMatchObject({ auth: "key" });
  });

  test("over plain HTTP, with the option that allows it", async () => {
    const { service, key } = started;
    await using opened = await openConsole(browser, { service: started.service, path: "/connect", key });
    const elsewhere = await opened.page.context().newPage();
    await opened.page.getByRole("tab", { name: "TypeScript" }).waitFor();
    const session = await readSessionHeaders(opened.page);
    await elsewhere.route("http://roster.example/**", async (route) => {
      const { pathname } = new URL(route.request().url());
      const headers = { ...route.request().headers(), ...session };
      await route.fulfill({ response: await route.fetch({ url: service.url + pathname, headers }) });
    });
    await elsewhere.goto("http://roster.example/connect");
    await elsewhere.getByText(/This page is not encrypted/).waitFor();
    const { client } = await snippets(elsewhere, "TypeScript");
    expect(client).toContain('createClient({ baseUrl: "http://roster.example", allowInsecure: true })');
    const { signIn: insecure, users } = await snippets(elsewhere, "Command line");
    expect(insecure).toBe("roster login --url http://roster.example --insecure");
    await signIn(`${insecure?.replace("http://roster.example", service.url)}\n${users?.split("\n")[1]}`, key);
  });
});

test("copies whole snippets, and switches tabs with arrow keys", async () => {
  await using opened = await openConsole(browser, {
    path: "/connect",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const { page, service } = opened;
  await page.getByRole("tab", { name: "curl" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("tabpanel", { name: "Command line" });
  await panel.getByRole("button", { name: "Copy" }).first().click();
  await panel.getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(`roster login --url ${service.url}`);
});

test("links only to endpoints that respond", async () => {
  await using opened = await openConsole(browser, { path: "/connect" });
  const { page, service } = opened;
  await page.getByRole("heading", { name: "Endpoints" }).waitFor();
  const links = await page
    .locator(".addresses a")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  expect(links).toEqual(["/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"]);
  for (const link of links) expect((await service.call(`${link}`)).status).toBe(200);
});

test("has no accessibility errors on a phone in either theme", async () => {
  const viewport = { width: 360, height: 740 };
  const { key } = started;
  await using opened = await openConsole(browser, {
    service: started.service,
    path: "/connect",
    key,
    viewport,
  });
  const { page } = opened;
  for (const tool of ["curl", "TypeScript", "Command line"]) {
    await page.getByRole("tab", { name: tool }).click();
    expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
    expect(await overflowWidth(page)).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(await accessibilityErrorsInBothThemes(page)).toEqual([]);
});
