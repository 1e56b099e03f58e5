import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { verifyWebhook } from "../../src/client/verify-webhook.ts";
import { spawnRoster, stopAll } from "../support/process/roster.ts";
import { startService, type TestService } from "../support/service.ts";
import { type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { untilOf } from "./support/until-running.ts";

setDefaultTimeout(120_000);

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  service = await startService();
  receiver = startReceiver();
});
afterAll(async () => {
  await stopAll();
  await service.stop();
  await receiver.stop();
});

test("webhooks listen sends signed events to a local program, and prints their status", async () => {
  await service.roster.users.create({ name: "Ada" });
  const [first] = await service.roster.events.list().all();
  await service.roster.users.create({ name: "Bob" });
  receiver.respond = ({ body }) => new Response(null, { status: body.includes("Bob") ? 204 : 500 });
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const args = [
    "webhooks",
    "listen",
    "--forward",
    receiver.url,
    "--secret",
    secret,
    "--after",
    first?.id ?? "",
  ];
  const command = spawnRoster(args, { env: { ROSTER_URL: service.url } });
  await untilOf(command, () => receiver.received.length === 1);
  await service.roster.users.create({ name: "Cy" });
  await untilOf(command, () => receiver.received.length === 2);
  for (const { body, headers } of receiver.received) {
    expect(await verifyWebhook({ body, headers }, secret)).toMatchObject({ type: "user.created" });
  }
  const lines = () => command.stdout.join("\n").split("\n").filter(Boolean);
  await untilOf(command, () => lines().length === 2);
  expect(lines()).toEqual([
    expect.stringMatching(/^\w{11} {2}user\.created {2}204 in \d+ ms$/),
    expect.stringMatching(/^\w{11} {2}user\.created {2}The receiver answered 500\.$/),
  ]);
});
