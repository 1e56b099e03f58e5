import type { JsonCaller } from "../request-costs/json-caller.ts";
import { interleave } from "../support/rounds.ts";
import type { ScimBench } from "./bench.ts";
import { compareRates } from "./compare-rates.ts";
import { importPeople, person } from "./people.ts";
import { filterOf, patchOf } from "./scim-requests.ts";

const TARGET = 0.5;
/** One in so many users is changed. */
const CHANGED = 10;

interface Subject {
  /** Returns the id of the person with this number. */
  find(number: number): Promise<unknown>;
  change(id: unknown, title: string): Promise<unknown>;
}

/** A provider that looks up all users and changes some, against the same through the API, which finds a user by email fastest. Each round has another part of the users. */
export const nightlyRun: ScimBench = async ({ numbers, start }) => {
  const { users, rounds } = numbers;
  await using service = await start(0);
  await importPeople(service.caller, users);
  const size = Math.max(CHANGED, Math.floor(users / rounds));
  const [scim, api] = [scimSubject(service.caller), apiSubject(service.caller)];
  const done = new Map<Subject, number>();
  const results = await interleave([scim, api], rounds, async (subject) => {
    const round = done.get(subject) ?? 0;
    done.set(subject, round + 1);
    const stop = service.startMeter();
    for (let number = 1 + round * size; number <= (round + 1) * size; number++) {
      const id = await subject.find(number);
      if (number % CHANGED === 0)
        await subject.change(id, `Title ${number} by ${subject === scim ? "SCIM" : "the API"}`);
    }
    return stop() / size;
  });
  return compareRates({
    name: `nightly run over ${users} users: look up each, change one in ${CHANGED}`,
    scim: results.get(scim) ?? [],
    api: results.get(api) ?? [],
    target: TARGET,
  });
};

function scimSubject(caller: JsonCaller): Subject {
  return {
    async find(number) {
      const filter = filterOf("userName", person(number).record.userName);
      return idOf(Object(await caller.send(`/scim/v2/Users?filter=${filter}`)).Resources, number);
    },
    change: (id, title) =>
      caller.send(`/scim/v2/Users/${id}`, "PATCH", patchOf({ op: "Replace", path: "title", value: title })),
  };
}

function apiSubject(caller: JsonCaller): Subject {
  return {
    async find(number) {
      const email = encodeURIComponent(person(number).record.email);
      return idOf(await caller.send(`/api/users?email=${email}`), number);
    },
    change: (id, title) => caller.send(`/api/users/${id}`, "PATCH", { title }),
  };
}

function idOf(found: unknown, number: number): unknown {
  if (!Array.isArray(found) || found.length !== 1) throw new Error(`Person ${number} is not found.`);
  return found[0].id;
}
