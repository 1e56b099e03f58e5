/**
 * Baseline for creates: a pool of ten connections, and one auto-committed statement per request. It fills the same tables
 * as Roster with the same code for their columns, except the count of users: every create would wait for that row. Ids are
 * reserved a thousand at a time: a create is one round trip.
 */
import { SQL } from "bun";
import { indexTerms, renderUser } from "../../src/domain/users/user.ts";
import { wordStartsText } from "../../src/store/lists/search-text.ts";
import { searchKeysText } from "../../src/store/postgres/search-keys.ts";
import type { SampleUser } from "../support/sample-users.ts";

const POOL = 10;
const ID_BLOCK = 1000;

const sql = new SQL(process.argv[2] ?? "", { max: POOL });

const INSERT = `
  WITH users AS (
    INSERT INTO roster.users (id, version, json, created_at, updated_at, name_fold, name_key, email_fold, email_key,
                              word_starts)
    VALUES ($1::bigint, 1, $2, $3::bigint, $3::bigint, $4, $5, $6, $7, $8)
  ), search AS (
    INSERT INTO roster.user_search VALUES ($1::bigint, $9::integer[])
  )
  INSERT INTO roster.user_values SELECT field, value, $1::bigint, exact
  FROM ROWS FROM (json_array_elements_text($10::text::json), json_array_elements_text($11::text::json),
                  json_array_elements_text($12::text::json)) AS t (field, value, exact)`;

let ids: number[] = [];
let pendingIds: Promise<void> | undefined;

async function reserveIds(): Promise<void> {
  const rows = await sql
    .unsafe(`SELECT nextval('roster.user_ids') FROM generate_series(1, ${ID_BLOCK})`)
    .values();
  ids = rows.map(([id]: unknown[]) => Number(id)).reverse();
  pendingIds = undefined;
}

async function nextId(): Promise<number> {
  for (;;) {
    const id = ids.pop();
    if (id !== undefined) return id;
    pendingIds ??= reserveIds();
    await pendingIds;
  }
}

async function create(user: SampleUser): Promise<string> {
  const id = await nextId();
  const now = Date.now();
  const nowText = new Date(now).toISOString();
  const { json } = renderUser(id, { ...user }, 1, nowText, nowText);
  const terms = indexTerms({ ...user });
  await sql.unsafe(INSERT, [
    String(id),
    json,
    String(now),
    terms.nameFold,
    terms.nameKey === terms.nameFold ? null : terms.nameKey,
    terms.emailFold ?? null,
    terms.emailKey ?? null,
    wordStartsText(terms),
    searchKeysText(id, terms),
    JSON.stringify(terms.values.map(({ field }) => field)),
    JSON.stringify(terms.values.map(({ value }) => value)),
    JSON.stringify(terms.values.map(({ exact }) => exact)),
  ]);
  return json;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: {
    "/api/users": {
      async POST(request) {
        const user: SampleUser = JSON.parse(await request.text());
        return new Response(await create(user), {
          status: 201,
          headers: { "content-type": "application/json" },
        });
      },
    },
  },
});
process.once("SIGTERM", () => process.exit());
console.log(server.url.origin);
