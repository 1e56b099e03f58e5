import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { Webhook, WebhookWithSecret } from "../../src/client/index.ts";
import { runRoster, stopAll } from "../support/process/roster.ts";
import { runOnTerminal, type TerminalOptions } from "../support/process/terminal.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const url = "https://hooks.example.com/roster";
let service: TestService;
beforeAll(async () => {
  service = await startService({ webhookPrivate: "allow" });
});
afterAll(async () => {
  await stopAll();
  await service.stop();
});
beforeEach(async () => {
  for await (const { id } of service.roster.webhooks.list()) await service.roster.webhooks.delete(id);
});

const env = () => ({ ROSTER_URL: service.url });
const run = (args: string[]) => runRoster(["webhooks", ...args], { env: env() });
const onTerminal = (args: string[], options: TerminalOptions = {}) =>
  runOnTerminal(["webhooks", ...args], { env: env(), columns: 120, ...options });

test("webhooks create prints the webhook with its secret as one line of JSON, and a message beside it", async () => {
  const ran = await run([
    "create",
    url,
    "--type=user.*,key.created",
    '--filter=department eq "sales"',
    "--description=CRM",
  ]);
  const created: WebhookWithSecret = JSON.parse(ran.stdout);
  expect([ran.code, ran.stdout.split("\n").length]).toEqual([0, 2]);
  expect(created).toMatchObject({
    url,
    types: ["user.*", "key.created"],
    filter: 'department eq "sales"',
    description: "CRM",
    active: true,
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(ran.stderr).toBe(
    `Created webhook ${created.id} (${url}). Copy the secret now: it is not shown again.\n`,
  );
});

test("webhooks list prints a table or JSON, without secrets", async () => {
  const empty = await run(["list"]);
  expect([empty.code, empty.stdout]).toEqual([0, ""]);
  expect(empty.stderr).toStartWith("No webhooks yet. Create one: roster webhooks create ");
  const { id } = await service.roster.webhooks.create({ url, types: ["user.*"], description: "CRM\u202e" });
  await service.roster.webhooks.create({ url, types: ["*"], active: false });
  const { stdout } = await run(["list"]);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line): Webhook => JSON.parse(line)),
  ).toEqual(await service.roster.webhooks.list().all());
  const { screen } = await onTerminal(["list"]);
  expect(screen).toMatch(/^ID +URL +TYPES +DESCRIPTION +STATE\n/);
  expect(screen).toMatch(new RegExp(`\n${id} +${url} +user\\.\\* +CRM\\S* +active\n`));
  expect(screen).toMatch(/ \* +inactive\n/);
  expect(screen + stdout).not.toContain("whsec_");
  expect(screen).not.toContain("\u202e");
});

test("webhooks update changes what the options say, and rotate prints a new secret", async () => {
  const { id, secret } = await service.roster.webhooks.create({ url, types: ["user.*"], filter: "level pr" });
  const paused = await run(["update", String(id), "--active=false", "--filter=none", "--type=*"]);
  expect(JSON.parse(paused.stdout)).toMatchObject({ active: false, filter: null, types: ["*"], version: 2 });
  const narrow = await run(["update", String(id), "--filter=a eq 1 or b eq 2", "--filter=level pr"]);
  expect(JSON.parse(narrow.stdout)).toMatchObject({ filter: "(a eq 1 or b eq 2) and level pr", version: 3 });
  const moved = await run(["update", String(id), "--endpoint=https://hooks.example.com/2", "--description="]);
  expect(JSON.parse(moved.stdout)).toMatchObject({ url: "https://hooks.example.com/2", version: 4 });
  const rotated = await run(["rotate", String(id)]);
  expect(JSON.parse(rotated.stdout).secret).not.toBe(secret);
  expect(rotated.stderr).toMatch(
    /^Changed the secret of webhook \d+ \(.*\)\. The old one also signs until \S+Z\. Copy the secret now/,
  );
});

test("webhooks delete asks on a terminal, and needs --yes elsewhere", async () => {
  const { id } = await service.roster.webhooks.create({ url, types: ["*"] });
  const refused = await run(["delete", String(id)]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  const { code, screen } = await onTerminal(["delete", String(id)], { typing: [["[y/N]", "y\r"]] });
  expect([code, screen]).toEqual([0, expect.stringContaining(`Deleted webhook ${id} (${url}).`)]);
  const again = await run(["delete", String(id), "--yes"]);
  expect([again.code, again.stderr]).toEqual([3, `roster: There is no webhook ${id}.\n`]);
});

test("webhooks test, deliveries, resend and replay send to the receiver and tell what it answered", async () => {
  let status = 204;
  using receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status }) });
  const { webhooks } = service.roster;
  const { id } = await webhooks.create({ url: receiver.url.href, types: ["user.*"] });
  const sample = await run(["test", String(id)]);
  expect([sample.code, JSON.parse(sample.stdout).status]).toEqual([0, 204]);
  expect(sample.stderr).toMatch(/^Webhook \d+ accepted the sample in \d+ ms\.\n$/);
  expect((await run(["deliveries", String(id)])).stderr).toBe("Nothing has been sent yet.\n");
  await service.roster.users.create({ name: "Ada" });
  await until(async () => (await webhooks.deliveries(id).all())[0]?.state === "delivered");
  const { screen } = await onTerminal(["deliveries", String(id)]);
  expect(screen).toMatch(/^ID +EVENT +SUBJECT +STATE +TRIES +LAST ATTEMPT +NEXT ATTEMPT\n/);
  expect(screen).toMatch(/\n[0-9a-z]{11} +user\.created +user \d+ +delivered +1 +204 in \d+ ms\n$/);
  const listed = await run(["deliveries", String(id), "--limit=1"]);
  const { id: delivery } = JSON.parse(listed.stdout);
  expect((await run(["deliveries", String(id), "--state=failed"])).stderr).toBe("No delivery is failed.\n");
  const shown = await run(["delivery", String(id), delivery]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: delivery, request: { exact: true }, response: null });
  const { screen: attempts } = await onTerminal(["attempts", String(id), "--hours=2"]);
  expect(attempts).toMatch(/^HOUR +ACCEPTED +FAILED +SUCCESS\n/);
  expect(attempts).toMatch(/ 1 +0 +100\s%/);
  const resent = await run(["resend", String(id), delivery]);
  expect([resent.code, resent.stderr]).toEqual([0, `Event ${delivery} will be sent to webhook ${id} now.\n`]);
  const replayed = await run(["replay", String(id), "--from=2026-01-01T00:00:00Z"]);
  expect([replayed.code, replayed.stderr]).toEqual([
    0,
    expect.stringMatching(/^The events from 2026-01-01T/),
  ]);
  status = 500;
  const failed = await run(["test", String(id)]);
  expect([failed.code, JSON.parse(failed.stdout).delivered]).toEqual([1, false]);
  expect(failed.stderr).toBe(`roster: Webhook ${id} did not accept the sample. The receiver answered 500.\n`);
});

test("the commands name what is wrong", async () => {
  const { id } = await service.roster.webhooks.create({ url, types: ["*"] });
  for (const [args, code, text] of [
    [["create", url], 2, "--type is required"],
    [["create", "--type=*"], 2, "ENDPOINT is required"],
    [["create", "hooks.example.com", "--type=*"], 2, "ENDPOINT=hooks.example.com is invalid"],
    [["create", url, "--type=ghost.*"], 2, "--type=ghost.* is invalid"],
    [["create", "http://93.184.215.14/", "--type=*"], 1, "The URL must use https."],
    [["replay", String(id), "--from=yesterday"], 2, "--from=yesterday is invalid"],
    [["resend", String(id), "x"], 2, "DELIVERY=x is invalid"],
    [["delivery", String(id), "00000000000"], 3, "has no delivery with this id."],
    [["deliveries", String(id), "--state=lost"], 2, "--state=lost is invalid"],
    [["attempts", String(id), "--hours=721"], 2, "--hours=721 is invalid"],
    [["create", url, "--type=*", "--filter=level ge"], 2, "--filter: Character 9: expected a value"],
    [["update", String(id)], 2, "Nothing to change"],
    [["update", "x", "--active=true"], 2, "ID=x is invalid"],
    [["rotate", "999999"], 3, "There is no webhook 999999."],
  ] as const) {
    const ran = await run([...args]);
    expect([args, ran.code, ran.stdout, ran.stderr]).toEqual([args, code, "", expect.stringContaining(text)]);
  }
});
