/** What a caller can send to make the service work most, for each request of its rate limit. */
import { heavySchemas } from "../../test/domain/schema/support/heavy-schemas.ts";

export interface ExpensiveRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: unknown;
}

const NDJSON = ["Accept: application/x-ndjson"];
const filter = (text: string) => `/api/users?limit=20&filter=${encodeURIComponent(text)}`;
const fifty = (comparison: (i: number) => string, word: string) =>
  Array.from({ length: 50 }, (_, i) => comparison(i)).join(` ${word} `);
const putSchema = (body: unknown, query = ""): ExpensiveRequest => ({
  method: "PUT",
  path: `/api/schema${query}`,
  headers: ["Content-Type: application/json"],
  body,
});
const fields = (count: number, schema: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, schema(i)]));

const wideUser = fields(6000, () => 1);

export const expensiveRequests: Readonly<Record<string, readonly ExpensiveRequest[]>> = {
  ...Object.fromEntries(
    Object.entries(heavySchemas).map(([name, schema]) => [`schema: ${name}, rejected`, [putSchema(schema)]]),
  ),
  "schema: dry run": [putSchema({ properties: { level: { type: "integer" } } }, "?dryRun=true")],
  "filter: 15 KB, rejected": [{ path: filter("a".repeat(15_000)) }],
  "filter: 15 KB of other letters, rejected": [{ path: filter("é".repeat(2500)) }],
  "filter: 51 comparisons, rejected": [{ path: filter(`${fifty((i) => `level eq ${i}`, "or")} or id eq 1`) }],
  "filter: thousands of parameters, rejected": [
    { path: `/api/users?${Array.from({ length: 2000 }, (_, i) => `f${i}`).join("&")}` },
  ],
  "filter: 50 comparisons, any of them": [{ path: filter(fifty((i) => `department co "zzq${i}"`, "or")) }],
  "filter: 50 comparisons, all of them": [
    { path: filter(fifty((i) => `name co "${"aeiou"[i % 5]}"`, "and")) },
  ],
  "filter: 50 comparisons, new ones each time": Array.from({ length: 64 }, (_, request) => ({
    path: filter(fifty((i) => `level ne ${i * 64 + request}`, "and")),
  })),
  "filter: 50 comparisons, counted": [
    { path: `${filter(fifty((i) => `name co "${"aeiou"[i % 5]}" `, "and"))}&count=true` },
  ],
  "search: 10,000 skipped": [{ path: "/api/users?q=example&sort=name&offset=10000&limit=1" }],
  statistics: [{ path: "/api/stats?days=366" }],
  "events as NDJSON": [{ path: "/api/events", headers: NDJSON }],
  "statistics, and events as NDJSON": [
    { path: "/api/events", headers: NDJSON },
    ...Array.from({ length: 20 }, () => ({ path: "/api/stats?days=366" })),
  ],
  "values of fields": [
    { path: "/api/fields/department/values" },
    { path: "/api/fields/level/values" },
    { path: "/api/fields" },
  ],
  "list of 1,000": [{ path: "/api/users?limit=1000" }],
  "user with 6,000 fields, rejected": [
    {
      method: "POST",
      path: "/api/users",
      headers: ["Content-Type: application/json"],
      body: { name: "Ada", ...wideUser },
    },
  ],
};

/** The request as text. */
export function formatRequest(
  { method = "GET", path, headers = [], body }: ExpensiveRequest,
  host: string,
  key: string,
) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
