/** A provisioning client as Entra, at a steady rate for a long time, on a bad network, with a service that is restarted. */
import type { Scope } from "../../src/contract/keys/key.ts";
import { SCIM_PREFIX } from "../../src/contract/scim/scim.ts";
import {
  fixtureGroup,
  fixtureUser,
  otherGroup,
  otherUser,
} from "../../test/api/scim/clients/bad-requests.ts";
import { Random } from "../../test/support/fuzz/random.ts";
import { compare, FIXTURES, readFixtures } from "./long-run/compare.ts";
import { Entra } from "./long-run/entra.ts";
import { FaultyClient } from "./long-run/faulty-client.ts";
import { Pace } from "./long-run/pace.ts";
import { Report } from "./long-run/report.ts";
import { RestartingService } from "./long-run/restarting-service.ts";
import { Tenant } from "./long-run/tenant.ts";
import type { PartOptions, ScimPart } from "./part.ts";

/** What Entra expects a service to take. */
const REQUESTS_PER_SECOND = 25;
/** A little more than the client needs: only bursts meet the limit. */
const rateLimit = { requests: 60, seconds: 2 };
const SECONDS_BETWEEN_RESTARTS = 15;
const FEWEST_RESTARTS = 6;
/** The service ends while it reads, makes or answers a write. */
const LONGEST_WRITE_MS = 6;
const PROGRESS_SECONDS = 30;

const scopes: readonly Scope[] = ["users:read", "users:write", "groups:read", "groups:write"];

export const longRun: ScimPart = {
  name: "long-run",
  about:
    "A client as Entra sends 25 requests per second, on a network that breaks connections, to a service that is restarted: nothing is lost, and each change has one event.",
  run,
};

async function run({ engine, seconds, seed }: PartOptions): Promise<readonly string[]> {
  await using service = await RestartingService.start(engine);
  const fixtures = await createFixtures(service);
  const random = new Random(String(seed));
  const [pace, report, tenant] = [new Pace(), new Report(), new Tenant(random)];
  const key = await createKey(service);
  const client = new FaultyClient({ service, key, pace, random, report });
  const entra = new Entra({ client, tenant, random, report });
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const progress = setInterval(() => console.log(report.describe(elapsed())), PROGRESS_SECONDS * 1000);
  const leftMs = () => Math.max(0, (seconds - elapsed()) * 1000);
  await Promise.all([
    pace.run(
      REQUESTS_PER_SECOND,
      () => leftMs() > 0 && entra.begin(),
      () => leftMs() === 0 && entra.pending === 0,
    ),
    restartAgainAndAgain({ service, client, random, seconds, leftMs }),
  ]);
  clearInterval(progress);
  client.close();
  console.log(report.describe(elapsed()));
  const { restarts } = service;
  console.log(`restarts: ${restarts.SIGTERM} after SIGTERM, ${restarts.SIGKILL} after SIGKILL`);
  console.log(`provoked: ${report.describeErrors()}`);
  console.log(`times of answers while the service runs: ${report.describeTimes()}`);
  const { organization } = tenant;
  const { requests } = client;
  const { differences, ...sizes } = await compare({ service, organization, fixtures, requests });
  console.log(
    `compared: ${sizes.users} users, ${sizes.groups} groups, ${sizes.memberships} memberships, ${sizes.events} events`,
  );
  await service.stop();
  return [...report.failures, ...service.failures, ...differences];
}

/** Creates what bad requests name: users 1 and 2, groups g1 and g2. Nobody changes them. */
async function createFixtures(service: RestartingService) {
  const headers = { "x-request-id": FIXTURES };
  for (const [path, json] of [
    ["/Users", fixtureUser],
    ["/Users", otherUser],
    ["/Groups", fixtureGroup],
    ["/Groups", otherGroup],
  ] as const) {
    const { status } = await service.call(SCIM_PREFIX + path, { method: "POST", json, headers });
    if (status !== 201) throw new Error(`POST ${path} is answered with ${status}.`);
  }
  return await readFixtures(service);
}

async function createKey(service: RestartingService): Promise<string> {
  const json = { name: "Entra ID", scopes, rateLimit };
  const response = await service.call("/api/keys", { method: "POST", json });
  const { key }: { key: string } = await response.json();
  return key;
}

interface Restarted {
  readonly service: RestartingService;
  readonly client: FaultyClient;
  readonly random: Random;
  readonly seconds: number;
  /** Milliseconds until the end of the run. */
  readonly leftMs: () => number;
}

/** Stops the service and kills it, in turns, while it is writing. */
async function restartAgainAndAgain({ service, client, random, seconds, leftMs }: Restarted): Promise<void> {
  const pauseMs = Math.min(SECONDS_BETWEEN_RESTARTS, seconds / FEWEST_RESTARTS) * 1000;
  for (let number = 0; ; number++) {
    await Bun.sleep(Math.min(pauseMs, leftMs()));
    await Promise.race([client.untilWritten(), Bun.sleep(leftMs())]);
    if (leftMs() === 0) return;
    await Bun.sleep(random.below(LONGEST_WRITE_MS));
    await service.restart(number % 2 === 0 ? "SIGTERM" : "SIGKILL");
  }
}
