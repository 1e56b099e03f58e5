import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { onEachEngine } from "../../../support/engines.ts";
import { Directory } from "./support/directory.ts";
import { type Change, Organization } from "./support/organization.ts";
import { EntraEngine, OktaEngine, type SynchronizationEngine } from "./support/synchronization-engines.ts";

setDefaultTimeout(120_000);

const RUNS = 15;

const USERS = [0, 1, 2, 3, 4, 5];

const user = fc.constantFrom(...USERS);
const group = fc.nat(2);
const attribute = fc.constantFrom("", "Analyst", "Engineer", "CTO 😀");

const writeUser = (key: fc.Arbitrary<number>): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constant("write-user"),
    user: key,
    login: fc.nat(2),
    givenName: fc.constantFrom("Ada", "Grace"),
    familyName: fc.constantFrom("Lovelace", "Hopper", "O'Neil"),
    title: attribute,
    department: attribute,
    mobile: fc.constantFrom("", "+47 1", "+47 2"),
    active: fc.boolean(),
  });

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: writeUser(user) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove-user"), user }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write-group"),
      group,
      name: fc.nat(2),
      members: fc.subarray(USERS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove-group"), group }) },
);

/** A change, and how it reaches the directory. */
const delivered = (changes: fc.Arbitrary<Change>) =>
  fc.record({
    change: changes,
    client: fc.constantFrom("entra", "okta"),
    /** Whether the client sends every request twice, as after an answer that was lost. */
    repeats: fc.boolean(),
    style: fc.nat(2),
  });

onEachEngine((engine) => {
  const directory = new Directory(engine);
  let engines: Record<"entra" | "okta", SynchronizationEngine>;
  beforeAll(async () => {
    const entra = new EntraEngine(await directory.connect("Entra ID"));
    engines = { entra, okta: new OktaEngine(await directory.connect("Okta")) };
  });

  test("two clients that repeat requests leave the directory equal to the organization", async () => {
    let runs = 0;
    const first = fc.tuple(...USERS.map((key) => delivered(writeUser(fc.constant(key)))));
    const later = fc.array(fc.array(delivered(change), { minLength: 1, maxLength: 5 }), {
      minLength: 4,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(first, later, async (hired, history) => {
        const organization = new Organization(`run-${++runs}-`);
        for (const batch of [hired, ...history]) {
          // One client writes an entry at a time, and different entries are written at the same time.
          const deliveries = new Map<string, (typeof batch)[number]>();
          for (const each of batch) {
            const subject = organization.subjectOf(each.change);
            if (deliveries.has(subject)) continue;
            organization.apply(each.change, engines[each.client].removal);
            deliveries.set(subject, each);
          }
          for (const kind of ["user", "group"] as const) {
            await Promise.all(
              [...deliveries]
                .filter(([subject]) => subject.startsWith(kind))
                .map(([subject, { client, ...delivery }]) =>
                  engines[client].synchronize(organization, subject, delivery),
                ),
            );
          }
        }
        await expectEqual(organization);
      }),
      { numRuns: RUNS },
    );
  });

  /** Expects that the directory has exactly the users and groups of the organization, and an event for each version. */
  async function expectEqual(organization: Organization): Promise<void> {
    const { entra } = engines;
    const found = await entra.client.send(`GET /Users?filter=userName sw "${organization.prefix}"`, {
      status: 200,
    });
    expect(found.resources.map(({ userName }) => userName).sort()).toEqual(organization.userNames.sort());
    for (const [key, person] of organization.users) {
      const id = organization.idOf(`user ${key}`);
      const shows = organization.shownUser(person);
      await entra.client.send(`GET /Users/${id}`, { status: 200, shows });
      await expectOneEventPerVersion(id);
    }
    const groups = await entra.client.send(`GET /Groups?filter=displayName sw "${organization.prefix}"`, {
      status: 200,
    });
    expect(groups.resources.map(({ displayName }) => displayName).sort()).toEqual(
      organization.groupNames.sort(),
    );
    for (const [key, { members }] of organization.groups) {
      const id = organization.idOf(`group ${key}`);
      const expected = [...members].map((member) => organization.idOf(`user ${member}`)).sort();
      expect((await directory.members(id)).sort()).toEqual(expected);
      await expectOneEventPerVersion(id);
    }
  }

  async function expectOneEventPerVersion(id: string): Promise<void> {
    const own = (await directory.events(id)).map(({ version }) => version);
    expect(own).toEqual(own.map((_, index) => index + 1));
  }
});
