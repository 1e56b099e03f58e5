import { patchOf, type ScimCaller } from "./scim-caller.ts";

const MIB = 1024 ** 2;
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join();
const fill = (item: string, bytes: number) => item.repeat(bytes / item.length);
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const group = (members: string) => `{"displayName":"Heavy","members":[${members}]}`;
const addOf = (value: string) => `{"Operations":[{"op":"add","path":"members","value":[${value}]}]}`;

/** A request that is not valid, and changes nothing. User 1 and group g1 exist. */
interface HeavyRequest {
  readonly name: string;
  readonly request: string;
  readonly body: string;
  readonly outcome: string;
}

/** Bodies that take JSON.parse, or a look at all members at once, up to 100 ms. */
const rows: readonly (readonly [name: string, request: string, body: string, outcome: string])[] = [
  ["100,000 ids", "POST /Groups", group(many(100_000, (id) => `"${1000 + id}"`)), "400 invalidValue"],
  [
    "70,000 members with URLs",
    "PUT /Groups/g1",
    group(
      many(
        90_000,
        (id) => `{"value":"${id + 1000}","$ref":"https://roster.example/scim/v2/Users/${id + 1000}"}`,
      ),
    ),
    "400 invalidValue",
  ],
  [
    "the same member 500,000 times and a group",
    "PUT /Groups/g1",
    group(`${fill('{"value":"1"},', 6 * MIB)}{"value":"g1"}`),
    "400 invalidValue",
  ],
  ["2,000,000 numbers", "PUT /Groups/g1", group(`${fill("11,", 6 * MIB)}1`), "400 invalidValue"],
  ["empty members", "PUT /Groups/g1", group(`${fill("{},", 6 * MIB)}{}`), "400 invalidValue"],
  ["nested lists", "PUT /Groups/g1", group(`${fill(`${nested(1000)},`, 6 * MIB)}1`), "400 invalidValue"],
  [
    "members with different names",
    "PUT /Groups/g1",
    group(many(300_000, (id) => `{"k${id}":1}`)),
    "400 invalidValue",
  ],
  ["one member of 6 MiB", "PUT /Groups/g1", group(`{"value":"${fill("7", 6 * MIB)}"}`), "413"],
  [
    "one member with 500,000 names",
    "PUT /Groups/g1",
    group(`{${many(500_000, (id) => `"k${id}":1`)}}`),
    "413",
  ],
  ["a long name", "PUT /Groups/g1", `{"displayName":"${fill("\\\\", 6 * MIB)}"}`, "413"],
  ["500,000 unknown attributes", "PUT /Groups/g1", `{${many(500_000, (id) => `"k${id}":1`)}}`, "413"],
  ["a list without end", "PUT /Groups/g1", `{"members":[${fill("1,", 6 * MIB)}`, "400 invalidSyntax"],
  ["8,000,000 brackets", "PUT /Groups/g1", fill("[", 6 * MIB), "400 invalidSyntax"],
  [
    "10,000 members with long names",
    "PATCH /Groups/g1",
    addOf(many(10_000, (id) => `{"value":"${id + 1000}","display":"${fill("x", 700)}"}`)),
    "400 invalidValue",
  ],
  ["500,000 members", "PATCH /Groups/g1", addOf(many(500_000, (id) => `"${id + 1000}"`)), "413"],
  [
    "a value that is a list of 2,000,000 numbers",
    "PATCH /Groups/g1",
    `{"Operations":[{"op":"add","path":"displayName","value":[${fill("11,", 6 * MIB)}1]}]}`,
    "413",
  ],
  [
    "1,000 operations with 10 members each",
    "PATCH /Groups/g1",
    JSON.stringify(patchOf(...Array(900).fill({ op: "add", path: "members", value: ["9999991"] }))),
    "400 invalidValue",
  ],
  [
    "1 MiB of members",
    "POST /Bulk",
    `{"Operations":[{"method":"POST","path":"/Groups","data":${group(many(90_000, (id) => `"${id + 1000}"`))}}]}`,
    "200",
  ],
  [
    "1,000 operations with unknown members",
    "POST /Bulk",
    `{"Operations":[${many(1000, (id) => `{"method":"POST","path":"/Users","data":{"k":"${fill("x", 900)}","l":${id}}}`)}]}`,
    "200",
  ],
  [
    "100,000 references",
    "POST /Bulk",
    `{"Operations":[{"method":"PUT","path":"/Groups/g1","data":${group(many(70_000, (id) => `"bulkId:${id}"`))}}]}`,
    "200",
  ],
  [
    "references to each other",
    "POST /Bulk",
    JSON.stringify({
      Operations: Array.from({ length: 1000 }, (_, id) => ({
        method: "POST",
        path: "/Users",
        bulkId: `${id}`,
        data: { manager: `bulkId:${id + 1}` },
      })),
    }),
    "200",
  ],
  [
    "nested data",
    "POST /Bulk",
    `{"Operations":[${many(500, () => `{"method":"POST","path":"/Users","data":${nested(900)}}`)}]}`,
    "200",
  ],
];

export const heavyRequests: readonly HeavyRequest[] = rows.map(([name, request, body, outcome]) => ({
  ...{ name, request, body, outcome },
}));

/** Sends such a request, and fails if it has another outcome. */
export async function sendHeavy(
  scim: ScimCaller,
  { name, request, body, outcome }: HeavyRequest,
): Promise<void> {
  const actual = await scim.outcome(request, body);
  if (actual !== outcome) throw new Error(`${request} with ${name}: ${actual}, not ${outcome}`);
}
