import { urns } from "../../src/scim/attributes.ts";
import {
  type Comparison,
  comparisonRows,
  measureComparisons,
  type Subject,
} from "../request-costs/comparisons.ts";
import type { JsonCaller } from "../request-costs/json-caller.ts";
import type { Numbers, ScimBench } from "./bench.ts";
import { filterOf, PAGE, patchOf, readAll } from "./scim-requests.ts";

/** Users of this range are changed. */
const CHANGED = 1000;

/** Each kind of request, against the same of the API. */
export const singleRequests: ScimBench = async ({ numbers, start }) => {
  await using service = await start(numbers.users);
  const comparisons = openComparisons(service.caller, numbers, await readEmails(service.caller));
  const figures = await measureComparisons(comparisons, numbers.rounds, service.startMeter);
  return { figures, rows: comparisonRows(figures) };
};

/** The users of `roster seed` with an email, by id. */
async function readEmails(caller: JsonCaller): Promise<ReadonlyMap<number, string>> {
  const emails = new Map<number, string>();
  for (const line of (await caller.sendText("/api/users/export?fields=email", "GET")).split("\n")) {
    if (line === "") continue;
    const { id, email } = Object(JSON.parse(line));
    if (typeof email === "string") emails.set(id, email);
  }
  return emails;
}

function openComparisons(
  caller: JsonCaller,
  { users, requests }: Numbers,
  emails: ReadonlyMap<number, string>,
): Comparison[] {
  let number = 0;
  const next = () => 1 + ((number++ * 7919) % users);
  const each = (name: string, send: (number: number) => Promise<unknown>): Subject => ({
    name,
    count: requests,
    async run() {
      for (let i = 0; i < requests; i++) await send(next());
      return undefined;
    },
  });
  const get = (name: string, path: (id: number) => string) => each(name, (id) => caller.send(path(id)));
  let created = 0;
  const newUser = () => {
    const local = `created${++created}`;
    return { name: `Created ${created}`, email: `${local}@example.com`, userName: `${local}@corp.example` };
  };
  const emailOf = (id: number) => emails.get(id) ?? "";
  const changedId = (id: number) => 1 + (id % CHANGED);
  const patch = (id: number) => patchOf({ op: "replace", path: "title", value: `Title ${id}` });
  return [
    {
      name: "read a user",
      subject: get("SCIM user", (id) => `/scim/v2/Users/${id}`),
      base: get("user", (id) => `/api/users/${id}`),
      target: 2.5,
    },
    {
      name: "userName eq, against ?email=",
      subject: get("userName eq", (id) => `/scim/v2/Users?filter=${filterOf("userName", emailOf(id))}`),
      base: get("?email=", (id) => `/api/users?email=${encodeURIComponent(emailOf(id))}`),
      target: 1.8,
    },
    {
      name: "create a user",
      subject: each("SCIM POST", () => {
        const { name, email, userName } = newUser();
        const emails = [{ value: email, type: "work", primary: true }];
        return caller.send("/scim/v2/Users", "POST", {
          schemas: [urns.user],
          userName,
          displayName: name,
          emails,
        });
      }),
      base: each("POST", () => caller.send("/api/users", "POST", newUser())),
      target: 1.5,
    },
    {
      name: "patch a user",
      subject: each("SCIM PATCH", (id) =>
        caller.send(`/scim/v2/Users/${changedId(id)}`, "PATCH", patch(number)),
      ),
      base: each("PATCH", (id) =>
        caller.send(`/api/users/${changedId(id)}`, "PATCH", { title: `Title ${number}` }),
      ),
      target: 1.5,
    },
    {
      name: `list of ${PAGE} users`,
      subject: get("SCIM list", (id) => `/scim/v2/Users?count=${PAGE}&cursor=${id}.0.id`),
      base: get("list", (id) => `/api/users?limit=${PAGE}&after=${id}.0.id`),
      target: 3,
    },
    {
      name: `all ${users} users by startIndex, against SCIM's cursor`,
      subject: readAll("by startIndex", users, (start) =>
        caller.send(`/scim/v2/Users?count=${PAGE}&startIndex=${start}`),
      ),
      base: readAll("by cursor", users, (_, cursor) =>
        caller.send(`/scim/v2/Users?count=${PAGE}&cursor=${cursor}`),
      ),
      target: 1.5,
    },
  ];
}
