import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { listLimits } from "../../../src/contract/listing.ts";
import { importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";

const MINUTES = 60_000;
setDefaultTimeout(15 * MINUTES);

onEachEngine((engine) => {
  /** More than a list counts. */
  const total = listLimits.count + 600;
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ rateLimit: 0 }, engine);
    for (let first = 1; first <= total; first += 20_000) {
      const length = Math.min(20_000, total - first + 1);
      const records = Array.from({ length }, (_, n) => ({
        name: `User ${first + n}`,
        part: (first + n) % 7,
      }));
      await importBody(service, NDJSON, toNdjson(records));
    }
  }, 15 * MINUTES);
  afterAll(() => service.stop());

  test("counts and deletes more users by filter than a list counts", async () => {
    const change = service.roster.users.bulk({ filter: "part ge 0", delete: true }, { timeout: 5 * MINUTES });
    expect(await change.count()).toBe(total);
    expect(await service.roster.users.bulk({ filter: "part eq 3", delete: true }).count()).toBe(
      Math.ceil((total - 2) / 7),
    );
    expect(await change.summary()).toEqual({ changed: total, failed: 0, failures: [] });
    expect(await change.count()).toBe(0);
  });
});
