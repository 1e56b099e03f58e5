import { scimLimits } from "../../../../src/contract/scim/scim.ts";
import { urns } from "../../../../src/scim/attributes.ts";
import { patchOf, type ScimCaller } from "./scim-caller.ts";

/** A body of a group has this size, less what is around its list. */
const LIST_BYTES = scimLimits.groupBytes - 1000;
/** A body of a user has up to 64 KiB. */
const USER_BYTES = 64_000;

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join();
const fill = (item: string, bytes = LIST_BYTES) => item.repeat(bytes / item.length);
/** Different items of this size together. */
function different(item: (index: number) => string, bytes = LIST_BYTES): string {
  const items: string[] = [];
  for (let size = 0; size < bytes; size += (items.at(-1) ?? "").length + 1) items.push(item(items.length));
  return items.slice(0, -1).join();
}
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const group = (members: string) => `{"displayName":"Heavy","members":[${members}]}`;
const patch = (...operations: readonly object[]) => JSON.stringify(patchOf(...operations));
const patchWith = (operation: string) => `{"Operations":[${operation}]}`;
const addOf = (members: string) => patchWith(`{"op":"add","path":"members","value":[${members}]}`);
const repeat = (count: number, operation: (index: number) => object) =>
  patch(...Array.from({ length: count }, (_, index) => operation(index)));
const bulk = (operations: string) => `{"Operations":[${operations}]}`;
const urlOf = (id: number) => `"$ref":"https://roster.example/scim/v2/Users/${id}"`;

/** No user has had an id of seven digits. */
const idOf = (index: number) => index + 1_000_000;

/** A request that is not valid, or changes nothing that others depend on. User 1 and group g1 exist. */
interface HeavyRequest {
  readonly name: string;
  readonly request: string;
  readonly body: () => string;
  readonly outcome: string;
}

type Row = readonly [name: string, body: () => string, outcome: string];

/** Bodies that take JSON.parse, its garbage, or a look at all members at once, up to 100 ms. */
const groupRows: readonly Row[] = [
  ["different ids", () => group(different((index) => `{"value":"${idOf(index)}"}`)), "400 invalidValue"],
  ["different ids as texts", () => group(different((index) => `"${idOf(index)}"`)), "400 invalidValue"],
  [
    "members with URLs",
    () => group(different((index) => `{"value":"${idOf(index)}",${urlOf(index)},"type":"User"}`)),
    "400 invalidValue",
  ],
  [
    "names in capitals",
    () => group(different((index) => `{"VALUE":"${idOf(index)}","TYPE":"USER"}`)),
    "400 invalidValue",
  ],
  ["escapes", () => group(`${fill('{"v\\u0061lue":"\\u0031"},')}{"value":"g1"}`), "400 invalidValue"],
  ["the same member and a group", () => group(`${fill('{"value":"1"},')}{"value":"g1"}`), "400 invalidValue"],
  ["numbers", () => group(`${fill("11,")}1`), "400 invalidValue"],
  ["members with numbers behind a valid one", () => group(`"1",${fill("11,")}1`), "400 invalidValue"],
  ["empty members", () => group(`${fill("{},")}{}`), "400 invalidValue"],
  ["nested lists", () => group(`${fill(`${nested(1000)},`)}1`), "400 invalidValue"],
  ["lists in members", () => group(`${fill('{"value":"1","a":[[]]},')}1`), "400 invalidValue"],
  [
    "different names",
    () => group(`${different((index) => `{"value":"1","k${index}":1}`)},1`),
    "400 invalidValue",
  ],
  [
    "fifty different names in each member",
    () => group(`${different((index) => `{"value":"1",${list(50, (name) => `"k${index}_${name}":1`)}}`)},1`),
    "400 invalidValue",
  ],
  [
    "texts that are not ASCII",
    () => group(`${fill('{"value":"1","a":"é"},', LIST_BYTES / 2)}1`),
    "400 invalidValue",
  ],
  ["long texts", () => group(`${fill(`{"value":"1","a":"${"x".repeat(60_000)}"},`)}1`), "400 invalidValue"],
  ["one long member", () => group(`{"value":"${fill("7")}"}`), "413"],
  ["one member with many names", () => group(`{${different((index) => `"k${index}":1`)}}`), "413"],
  ["white space", () => group(fill(" ")), "413"],
  ["a long name", () => `{"displayName":"${fill("\\\\")}"}`, "413"],
  ["unknown attributes", () => `{${different((index) => `"k${index}":1`)}}`, "413"],
  [
    "unknown attributes and members",
    () =>
      `{${different((index) => `"k${index}":1`, USER_BYTES)},"members":[${fill("11,", LIST_BYTES - USER_BYTES)}1]}`,
    "400 invalidValue",
  ],
  ["many lists of members", () => `{${list(4000, () => '"members":["1"]')}}`, "400 invalidValue"],
  ["a list without end", () => `{"members":[${fill('"1",')}`, "400 invalidSyntax"],
  ["brackets", () => fill("["), "400 invalidSyntax"],
];

const groupPatchRows: readonly Row[] = [
  [
    "10,000 members with long names",
    () => addOf(list(10_000, (index) => `{"value":"${idOf(index)}","display":"${"x".repeat(700)}"}`)),
    "400 invalidValue",
  ],
  [
    "10,000 members with many names each",
    () => addOf(list(10_000, (index) => `{"value":"g1",${list(50, (name) => `"k${index}_${name}":1`)}}`)),
    "400 invalidValue",
  ],
  ["too many members", () => addOf(different((index) => `"${idOf(index)}"`)), "413"],
  [
    "a long list for another attribute",
    () => patchWith(`{"op":"add","value":[${fill("11,")}1],"path":"displayName"}`),
    "413",
  ],
  [
    "1,000 lists of 10 members",
    () =>
      repeat(1000, (index) => ({
        op: "add",
        path: "members",
        value: Array.from({ length: 10 }, (_, member) => ({ value: `${idOf(10 * index + member)}` })),
      })),
    "400 invalidValue",
  ],
  [
    "990 members to remove",
    () => repeat(990, (index) => ({ op: "remove", path: `members[value eq "${idOf(index)}"]` })),
    "204",
  ],
];

/** Bodies of 64 KiB that take long to parse or to apply at once. */
const userPatchRows: readonly Row[] = [
  [
    "1,000 operations",
    () => repeat(1000, (index) => ({ op: "add", path: "title", value: `${index % 2}` })),
    "200",
  ],
  [
    "different entries",
    () =>
      repeat(580, (index) => ({
        op: "add",
        path: `emails[type eq "t${index}"].value`,
        value: "a@x.example",
      })),
    "413",
  ],
  [
    "long filters",
    () =>
      repeat(14, () => ({
        op: "remove",
        path: `emails[${Array(48).fill('value co "aaaa"').join(" or ")}].display`,
      })),
    "200",
  ],
  [
    "unknown attributes",
    () => patchWith(`{"op":"add","value":{${different((index) => `"k${index}":1`, USER_BYTES)}}}`),
    "200",
  ],
  [
    "filters that are not valid",
    () => patchWith(`{"op":"add","value":{${different((index) => `"emails[${index}[":1`, USER_BYTES)}}}`),
    "200",
  ],
  [
    "different extensions",
    () => patchWith(`{"op":"add","value":{${different((index) => `"urn:x:y:z${index}:f":1`, USER_BYTES)}}}`),
    "400 invalidValue",
  ],
  [
    "many custom fields",
    () =>
      patchWith(
        `{"op":"add","value":{"${urns.rosterUser}":{${different((index) => `"k${index}":1`, USER_BYTES)}}}}`,
      ),
    "400 invalidValue",
  ],
  [
    "many entries",
    () =>
      patchWith(
        `{"op":"replace","path":"roles","value":[${different((index) => `{"a":${index}}`, USER_BYTES)}]}`,
      ),
    "400 invalidValue",
  ],
];

const userRows: readonly Row[] = [
  [
    "many entries",
    () => `{"userName":"heavy","roles":[${different((index) => `"${index}"`, USER_BYTES)}]}`,
    "400 invalidValue",
  ],
  [
    "different extensions",
    () => `{"userName":"heavy",${different((index) => `"urn:a:${index}:User":{"a":1}`, USER_BYTES)}}`,
    "400 invalidValue",
  ],
];

const bulkRows: readonly Row[] = [
  [
    "1 MiB of members",
    () =>
      bulk(`{"method":"POST","path":"/Groups","data":${group(list(90_000, (index) => `"${idOf(index)}"`))}}`),
    "200",
  ],
  [
    "1,000 operations with unknown members",
    () =>
      bulk(
        list(
          1000,
          (index) => `{"method":"POST","path":"/Users","data":{"k":"${"x".repeat(900)}","l":${index}}}`,
        ),
      ),
    "200",
  ],
  [
    "70,000 references",
    () =>
      bulk(
        `{"method":"PUT","path":"/Groups/g1","data":${group(list(70_000, (index) => `"bulkId:${index}"`))}}`,
      ),
    "200",
  ],
  [
    "references to each other",
    () =>
      bulk(
        list(
          1000,
          (index) =>
            `{"method":"POST","path":"/Users","bulkId":"${index}","data":{"manager":"bulkId:${index + 1}"}}`,
        ),
      ),
    "200",
  ],
  [
    "nested data",
    () => bulk(list(500, () => `{"method":"POST","path":"/Users","data":${nested(900)}}`)),
    "200",
  ],
  [
    "long patches",
    () =>
      bulk(
        list(
          15,
          () =>
            `{"method":"PATCH","path":"/Users/1","data":${patchWith(`{"op":"add","value":{${different((index) => `"k${index}":1`, USER_BYTES)}}}`)}}`,
        ),
      ),
    "200",
  ],
];

const rows = new Map([
  ["PUT /Groups/g1", groupRows],
  ["PATCH /Groups/g1", groupPatchRows],
  ["PUT /Users/1", userRows],
  ["PATCH /Users/1", userPatchRows],
  ["POST /Bulk", bulkRows],
]);

export const heavyRequests: readonly HeavyRequest[] = [...rows].flatMap(([request, each]) =>
  each.map(([name, body, outcome]) => ({ name, request, body, outcome })),
);

/** Sends such a request, and fails if it has another outcome. */
export async function sendHeavy(
  scim: ScimCaller,
  { name, request, body, outcome }: HeavyRequest,
): Promise<void> {
  const actual = await scim.outcome(request, body());
  if (actual !== outcome) throw new Error(`${request} with ${name}: ${actual}, not ${outcome}`);
}
