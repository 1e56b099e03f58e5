import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { loopShare } from "../../../src/domain/scheduling/loop-share.ts";
import { bearer } from "../../support/credentials.ts";
import { onEachEngine } from "../../support/engines.ts";
import { type ScimCaller, type ScimService, startScimService } from "./support/scim-caller.ts";

setDefaultTimeout(180_000);

const USERS = 400;
/** Of two bytes each: a large user has nearly 16 KB. */
const TEXT_CHARACTERS = 7800;
const SMALL_USERS = 1500;

onEachEngine((engine) => {
  let service: ScimService;
  let scim: ScimCaller;
  beforeAll(async () => {
    service = await startScimService(engine);
    scim = await service.connect();
    const large = (index: number) => ({ name: `Large ${index}`, notes: "é".repeat(TEXT_CHARACTERS) });
    for (let first = 0; first < USERS; first += 100)
      await service.importUsers(Array.from({ length: 100 }, (_, index) => large(first + index)));
    await service.importUsers(
      Array.from({ length: SMALL_USERS }, (_, index) => ({ name: `Small ${index}` })),
    );
  });
  afterAll(() => service.stop());

  const list = async (query: string) => (await scim.expect(`GET /Users?${query}`)).body;
  const idsOf = ({ Resources }: { Resources?: unknown }): string[] =>
    Object(Resources).map((each: { id: string }) => each.id);
  const idsFrom = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => String(first + index));

  describe("A list of large users", () => {
    test("is sent as a whole, in parts", async () => {
      const { headers, body } = await scim.send(`GET /Users?count=${USERS}`);
      expect(headers.get("content-length")).toBeNull();
      expect(body).toMatchObject({ itemsPerPage: USERS, totalResults: USERS + SMALL_USERS, startIndex: 1 });
      expect(idsOf(body)).toEqual(idsFrom(1, USERS));
      const notes = Object(body.Resources).map(
        (user: object) => Object(user)["urn:ietf:params:scim:schemas:extension:roster:2.0:User"].notes.length,
      );
      expect(new Set(notes)).toEqual(new Set([TEXT_CHARACTERS]));
    });

    test("is the same with a part of each user, sorted, filtered and as a search", async () => {
      expect(idsOf(await list(`count=${USERS}&attributes=userName`))).toEqual(idsFrom(1, USERS));
      expect(idsOf(await list(`count=${USERS}&excludedAttributes=meta`))).toEqual(idsFrom(1, USERS));
      expect(idsOf(await list(`count=1000&filter=${encodeURIComponent('displayName sw "Large"')}`))).toEqual(
        idsFrom(1, USERS),
      );
      const sorted = await list("count=1000&sortBy=displayName");
      expect(
        idsOf(sorted)
          .slice(0, USERS)
          .sort((a, b) => Number(a) - Number(b)),
      ).toEqual(idsFrom(1, USERS));
      const { body } = await scim.expect("POST /Users/.search", { count: USERS });
      expect(idsOf(body)).toEqual(idsFrom(1, USERS));
    });

    test("goes on where its page ended", async () => {
      expect(idsOf(await list("count=300&startIndex=1"))).toEqual(idsFrom(1, 300));
      expect(idsOf(await list("count=300&startIndex=301"))).toEqual(idsFrom(301, 300));
      const first = await list("count=333&cursor");
      expect(idsOf(await list(`count=333&cursor=${first.nextCursor}`))).toEqual(idsFrom(334, 333));
    });

    test("leaves the event loop to others again and again", async () => {
      using nextTurn = spyOn(loopShare, "nextTurn");
      let asked = 0;
      // Every second question is answered as if the time was over.
      Object.defineProperty(loopShare, "isSpent", { get: () => ++asked % 2 === 0, configurable: true });
      try {
        await list(`count=${USERS}`);
      } finally {
        Reflect.deleteProperty(loopShare, "isSpent");
      }
      const owned = nextTurn.mock.calls.filter(([options]) => options?.owner === `key ${scim.keyId}`);
      expect(owned.length).toBeGreaterThan(15);
    });

    test("that nobody reads to its end is given up", async () => {
      const json = { name: "reader", scopes: ["users:read"] };
      const { key } = await (await service.api("/api/keys", { method: "POST", json })).json();
      for (let request = 0; request < 20; request++) {
        const controller = new AbortController();
        const { signal } = controller;
        const { body } = await service.call(`/scim/v2/Users?count=${USERS}`, {
          headers: bearer(key),
          signal,
        });
        await body?.getReader().read();
        controller.abort();
      }
      // Each caller has 16 places: those of the requests before are free again.
      expect(idsOf(await list(`count=${USERS}`))).toHaveLength(USERS);
    });
  });

  test("A list of 1,000 small users is full", async () => {
    const body = await list(`count=1000&startIndex=${USERS + 1}`);
    expect(idsOf(body)).toEqual(idsFrom(USERS + 1, 1000));
    expect(idsOf(await list(`count=1000&startIndex=${USERS + 1001}`))).toEqual(idsFrom(USERS + 1001, 500));
  });
});
