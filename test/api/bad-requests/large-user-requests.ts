import { expect } from "bun:test";
import { type Fields, importBody, NDJSON, toNdjson } from "../../support/bulk-requests.ts";
import type { TestService } from "../../support/service.ts";

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const numberedFields = (count: number, first = 0) =>
  Object.fromEntries(range(count).map((field) => [`field${field}`, first + field]));

/** Users of 12 KB and users with 200 fields, in a service of their own. */
export class LargeUsers {
  #round = 0;

  private constructor(
    readonly service: Omit<TestService, "clock">,
    readonly longIds: readonly number[],
    readonly wideIds: readonly number[],
  ) {}

  static async create(service: Omit<TestService, "clock">): Promise<LargeUsers> {
    const create = async (count: number, fields: Fields) => {
      const records = range(count).map((n) => ({ name: `User ${n}`, ...fields }));
      const { lines } = await importBody(service, NDJSON, toNdjson(records));
      return lines.map(({ id }) => id ?? 0);
    };
    const longIds = await create(300, { group: "long", note: "x".repeat(12_000) });
    return new LargeUsers(service, longIds, await create(80, numberedFields(200)));
  }

  async change(count: number, toRequest: (users: LargeUsers, round: number) => object): Promise<void> {
    const response = await this.service.call("/api/users/bulk", {
      method: "POST",
      json: toRequest(this, ++this.#round),
    });
    expect((await response.text()).match(/"status":200/g)).toHaveLength(count);
  }

  async update(query: string): Promise<void> {
    const round = ++this.#round;
    const body = toNdjson(this.longIds.map((id) => ({ id, round })));
    const path = `onConflict=update&match=id${query}`;
    const { lines } = await importBody(this.service, NDJSON, body, {}, path);
    expect(lines.filter(({ status }) => status === 200)).toHaveLength(300);
  }

  async read(path: string): Promise<void> {
    const response = await this.service.call(path);
    expect(response.status).toBe(200);
    await response.text();
  }
}

// No index answers this filter: the service parses the users.
const filter = encodeURIComponent('not (note co "y")');

type Request = readonly [name: string, send: (users: LargeUsers) => Promise<void>];

export const largeUserRequests: readonly Request[] = [
  [
    "A change of 300 users of 12 KB by their ids",
    (users) => users.change(300, ({ longIds }, round) => ({ ids: longIds, patch: { round } })),
  ],
  [
    "A change of 300 users of 12 KB by filter",
    (users) => users.change(300, (_, round) => ({ filter: 'group eq "long"', patch: { round } })),
  ],
  [
    "A change of 200 fields of 80 users",
    (users) =>
      users.change(80, ({ wideIds }, round) => ({ ids: wideIds, patch: numberedFields(200, round) })),
  ],
  ["An import that updates 300 users of 12 KB", (users) => users.update("")],
  ["A dry run of an import that updates 300 users of 12 KB", (users) => users.update("&dryRun=true")],
  ["A count of large users", (users) => users.read(`/api/users?limit=1&count=true&filter=${filter}`)],
  [
    "A list of some fields of large users",
    (users) => users.read(`/api/users?limit=100&fields=id&filter=${filter}`),
  ],
  ["An export of large users", (users) => users.read(`/api/users/export?filter=${filter}`)],
];
