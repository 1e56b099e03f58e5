import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Fields, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type MonitoredService, startMonitoredService } from "../../support/monitored-service.ts";

setDefaultTimeout(60_000);

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const numberedFields = (count: number, first = 0) =>
  Object.fromEntries(range(count).map((field) => [`field${field}`, first + field]));

onEachEngine((engine) => {
  let service: MonitoredService;
  let longIds: number[];
  let wideIds: number[];
  beforeAll(async () => {
    service = await startMonitoredService({}, engine);
    const create = async (count: number, fields: Fields) => {
      const records = range(count).map((n) => ({ name: `User ${n}`, ...fields }));
      const { lines } = await importBody(service, NDJSON, toNdjson(records));
      return lines.map(({ id }) => id ?? 0);
    };
    longIds = await create(300, { group: "long", note: "x".repeat(12_000) });
    wideIds = await create(80, numberedFields(200));
  });
  afterAll(() => service.stop());

  let round = 0;
  test.each([
    ["300 users of 12 KB by their ids", 300, () => ({ ids: longIds, patch: { round } })],
    ["300 users of 12 KB by filter", 300, () => ({ filter: 'group eq "long"', patch: { round } })],
    ["200 fields of 80 users", 80, () => ({ ids: wideIds, patch: numberedFields(200, round) })],
  ])("A change of %s does not hold the event loop", async (_, count, toRequest) => {
    const work = async () => {
      round++;
      const response = await service.send("POST", "/api/users/bulk", toRequest());
      expect((await response.text()).match(/"status":200/g)).toHaveLength(count);
    };
    await work();
    await service.expectShortTurns(work);
  });

  test.each([
    ["An import that updates 300 users of 12 KB", ""],
    ["A dry run of an import that updates 300 users of 12 KB", "&dryRun=true"],
  ])("%s does not hold the event loop", async (_, query) => {
    const work = async () => {
      round++;
      const path = `onConflict=update&match=id${query}`;
      const body = toNdjson(longIds.map((id) => ({ id, round })));
      const { lines } = await importBody(service, NDJSON, body, {}, path);
      expect(lines.filter(({ status }) => status === 200)).toHaveLength(300);
    };
    await work();
    await service.expectShortTurns(work);
  });

  // No index answers this filter: the service parses the users.
  const filter = encodeURIComponent('not (note co "y")');
  test.each([
    ["A count", `/api/users?limit=1&count=true&filter=${filter}`],
    ["A list of some fields", `/api/users?limit=100&fields=id&filter=${filter}`],
    ["An export", `/api/users/export?filter=${filter}`],
  ])("%s of large users does not hold the event loop", async (_, path) => {
    const work = async () => {
      const response = await service.call(path);
      expect(response.status).toBe(200);
      await response.text();
    };
    await work();
    await service.expectShortTurns(work);
  });
});
