import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { onEachEngine } from "../engines.ts";
import { startService, type TestService } from "../service.ts";

interface Listed {
  id: number;
  name: string;
  email?: string;
  createdAt: string;
}

onEachEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
    const people = [
      { name: "Zoë Washburne", email: "zoe@serenity.example", department: "crew", level: 3, active: true },
      {
        name: "ada Lovelace",
        email: "Ada@Engines.example",
        department: "engines",
        level: "3",
        active: false,
      },
      { name: "José Núñez", department: "sales", active: "true", note: null },
      { name: "Ada Byron", email: "byron@engines.example", department: "engines", level: 4 },
      { name: "Álvaro", email: "alvaro@sales.example", department: "sales", long: "x".repeat(5000) },
      { name: "Mary-Jane O'Neil", department: "crew", tags: ["a"], level: 3.5 },
    ];
    for (const person of people) await service.send("POST", "/api/users", person);
  });
  afterAll(() => service.stop());

  const list = async (query: string): Promise<Listed[]> => {
    const response = await service.call(`/api/users${query}`);
    expect(response.status).toBe(200);
    return await response.json();
  };
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);
  const linkOf = (response: Response, relation: string) =>
    new RegExp(`<([^>]+)>; rel="${relation}"`).exec(response.headers.get("link") ?? "")?.[1];

  describe("sort", () => {
    test("text sorts without regard to case or accents, ties by id", async () => {
      expect(await ids("?sort=name")).toEqual([4, 2, 5, 3, 6, 1]);
      expect(await ids("?sort=-name")).toEqual([1, 6, 3, 5, 2, 4]);
    });

    test("users without an email come last in both directions", async () => {
      expect(await ids("?sort=email")).toEqual([2, 5, 4, 1, 3, 6]);
      expect(await ids("?sort=-email")).toEqual([1, 4, 5, 2, 6, 3]);
    });

    test("id, createdAt and updatedAt sort both ways", async () => {
      for (const field of ["id", "createdAt", "updatedAt"]) {
        expect(await ids(`?sort=${field}`)).toEqual([1, 2, 3, 4, 5, 6]);
        expect(await ids(`?sort=-${field}`)).toEqual([6, 5, 4, 3, 2, 1]);
      }
    });
  });

  describe("q", () => {
    test("finds what contains it in name or email, without regard to case or accents", async () => {
      expect(await ids("?q=jose")).toEqual([3]);
      expect(await ids("?q=JOS%C3%89")).toEqual([3]);
      expect(await ids("?q=ENGINES.ex")).toEqual([2, 4]);
      expect(await ids("?q=velace")).toEqual([2]);
      expect(await ids("?q=jane%20o'n")).toEqual([6]);
      expect(await ids("?q=lovelaceX")).toEqual([]);
    });

    test("does not find across the end of the name and the start of the email", async () => {
      expect(await ids("?q=lovelaceada")).toEqual([]);
      expect(await ids("?q=lovelace%20ada")).toEqual([]);
    });

    test("of one or two characters it matches where the name, a word of it or the email begins", async () => {
      expect(await ids("?q=a")).toEqual([2, 4, 5]);
      expect(await ids("?q=ad")).toEqual([2, 4]);
      expect(await ids("?q=lo")).toEqual([2]);
      expect(await ids("?q=ja")).toEqual([6]);
      expect(await ids("?q=by")).toEqual([4]);
      expect(await ids("?q=en")).toEqual([]);
    });

    test("what looks like the search language of the engine is plain text", async () => {
      for (const text of ['"', "'", "a OR b", "NEAR(a b)", "*", "ada*", "-ada", "name:ada", "%", "_", "\\"]) {
        expect(await ids(`?q=${encodeURIComponent(text)}`)).toEqual([]);
      }
    });

    test("goes together with sort, filters and count", async () => {
      const response = await service.call(
        "/api/users?q=ada&sort=-name&department=engines&count=true&limit=1",
      );
      expect((await response.json()).map(({ id }: Listed) => id)).toEqual([2]);
      expect(response.headers.get("x-total-count")).toBe("2");
    });
  });

  describe("filters", () => {
    test("name and email compare without regard to case, and accents count", async () => {
      expect(await ids("?email=ADA@engines.EXAMPLE")).toEqual([2]);
      expect(await ids("?name=ADA%20LOVELACE")).toEqual([2]);
      expect(await ids("?name=jos%C3%A9%20n%C3%BA%C3%B1ez")).toEqual([3]);
      expect(await ids("?name=jose%20nunez")).toEqual([]);
    });

    test("the caller's own fields compare by their exact text", async () => {
      expect(await ids("?level=3")).toEqual([1, 2]);
      expect(await ids("?level=3.5")).toEqual([6]);
      expect(await ids("?active=true")).toEqual([1, 3]);
      expect(await ids("?department=Sales")).toEqual([]);
      expect(await ids("?note=null")).toEqual([3]);
      expect(await ids(`?long=${"x".repeat(5000)}`)).toEqual([5]);
      expect(await ids(`?long=${"x".repeat(4999)}`)).toEqual([]);
    });

    test("repeated: any of them; several fields: all of them", async () => {
      expect(await ids("?id=5&id=1&id=999")).toEqual([1, 5]);
      expect(await ids("?department=crew&department=sales")).toEqual([1, 3, 5, 6]);
      expect(await ids("?department=crew&department=sales&active=true")).toEqual([1, 3]);
      expect(await ids("?id=1&id=2&id=3&active=true&sort=-id")).toEqual([3, 1]);
    });

    test("objects and arrays are not filterable, unknown fields and impossible values find nobody", async () => {
      for (const query of ["tags=a", "nothing=x", "id=abc", "id=01", "version=0", "createdAt=yesterday"]) {
        expect(await ids(`?${query}`)).toEqual([]);
      }
    });

    test("the service's own fields can be filtered on", async () => {
      const [first] = await list("?id=1");
      expect(await ids(`?createdAt=${first?.createdAt}&id=1`)).toEqual([1]);
      expect(await ids("?version=1")).toHaveLength(6);
      expect(await ids("?version=2")).toEqual([]);
    });
  });

  describe("pages", () => {
    test("next leads through all of them and first leads back, with every other parameter kept", async () => {
      const seen: number[] = [];
      let next: string | undefined = "/api/users?sort=-name&limit=2&q=a";
      while (next) {
        const response = await service.call(next);
        seen.push(...(await response.json()).map(({ id }: Listed) => id));
        const first = linkOf(response, "first");
        if (first) expect(first).toBe("/api/users?sort=-name&limit=2&q=a");
        next = linkOf(response, "next");
      }
      expect(seen).toEqual([5, 2, 4]);
    });

    test("a list that fits has no Link", async () => {
      expect((await service.call("/api/users?limit=6")).headers.get("link")).toBeNull();
      expect((await service.call("/api/users?limit=5")).headers.get("link")).toContain('rel="next"');
    });

    test("offset counts from the start, goes on by cursor, and ends", async () => {
      expect(await ids("?offset=4")).toEqual([5, 6]);
      expect(await ids("?offset=6")).toEqual([]);
      const response = await service.call("/api/users?offset=1&limit=2&sort=-id");
      expect((await response.json()).map(({ id }: Listed) => id)).toEqual([5, 4]);
      expect(await ids(linkOf(response, "next")?.replace("/api/users", "") ?? "")).toEqual([3, 2]);
    });

    test("names that fold to something long have cursors that work", async () => {
      const other = await startService({}, engine);
      for (let i = 0; i < 3; i++) await other.send("POST", "/api/users", { name: "ﷺ".repeat(200) });
      const response = await other.call("/api/users?sort=name&limit=2");
      const rest = await other.call(linkOf(response, "next") ?? "");
      expect((await rest.json()).map(({ id }: Listed) => id)).toEqual([3]);
      await other.stop();
    });

    test("any page size and order visits each user once, over HTTP", async () => {
      const sorts = ["id", "name", "email", "createdAt", "updatedAt"].flatMap((field) => [
        field,
        `-${field}`,
      ]);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...sorts), fc.integer({ min: 1, max: 7 }), async (sort, limit) => {
          const seen: number[] = [];
          let next: string | undefined = `/api/users?sort=${sort}&limit=${limit}`;
          while (next) {
            const response = await service.call(next);
            seen.push(...(await response.json()).map(({ id }: Listed) => id));
            next = linkOf(response, "next");
          }
          expect(seen).toEqual(await ids(`?sort=${sort}`));
        }),
        { numRuns: 40 },
      );
    });
  });

  describe("count", () => {
    const total = async (query: string) => {
      const { headers } = await service.call(`/api/users?count=true&limit=1${query}`);
      return [headers.get("x-total-count"), headers.get("x-total-count-capped")];
    };

    test("is exact for the whole directory and for filtered lists", async () => {
      expect(await total("")).toEqual(["6", null]);
      expect(await total("&department=engines")).toEqual(["2", null]);
      expect(await total("&q=ada")).toEqual(["2", null]);
      expect(await total("&q=lovel&department=engines")).toEqual(["1", null]);
      expect(await total("&department=nowhere")).toEqual(["0", null]);
    });

    test("does not depend on where the page is", async () => {
      expect(await total("&offset=5")).toEqual(["6", null]);
    });

    test("is not told unless it is asked for", async () => {
      expect((await service.call("/api/users?count=false")).headers.get("x-total-count")).toBeNull();
    });
  });
});
