/** The services that `peers` compares, and the requests that mean the same to each. */
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { createSecret } from "../../src/contract/keys/key-secret.ts";
import { renderUser } from "../../src/domain/users/user.ts";
import { createBenchKey } from "../support/bench-keys.ts";
import {
  type ChildServer,
  startConstantBun,
  startNodeProgram,
  startService,
} from "../support/child-server.ts";
import { encodeTemplate } from "../support/path-template.ts";
import { sampleUser } from "../support/sample-users.ts";
import type { ScratchFolder } from "../support/scratch-folder.ts";
import { seededDatabase } from "../support/seeded-database.ts";
import { FIRST_ID, preparePocketBase } from "./pocketbase.ts";
import {
  type ListKind,
  mapNumbers,
  PAGE_SIZE,
  type RequestedPage,
  requestedPages,
} from "./requested-pages.ts";
import type { PeerKind } from "./results.ts";

export interface PeerSubject {
  readonly name: string;
  readonly users: number;
  readonly start: () => Promise<ChildServer>;
  /** In the syntax of `request-mix.ts`. */
  readonly requests: { readonly [Kind in PeerKind]?: string };
  readonly headers?: readonly string[];
  /** Undefined for the constant response. */
  readonly api?: UsersApi;
}

/** How a service names what all of them do. */
export interface UsersApi {
  readonly path: string;
  /** The query string of a page. */
  readonly list: (page: RequestedPage) => string;
  /** The id of the user of this number, if ids are not the numbers. */
  readonly id?: (number: string) => string;
  /** The users of the response to a list, if the response is not an array of them. */
  readonly users?: (body: object) => unknown;
  /** The status of a create, if it is not 201. */
  readonly created?: number;
}

/** Above what a loopback client can send: counts every request and rejects none. */
const RATE_LIMIT = { requests: 1_000_000, seconds: 1 };

/** The same requests to any service. */
function requestsFor(users: number, { path, list, id, created = 201 }: UsersApi): PeerSubject["requests"] {
  const pages = requestedPages(users);
  const listOf = (kind: ListKind) => `${path}?${list(pages[kind])}`;
  const number = `{1-${users}}`;
  return {
    one: `${path}/${id?.(number) ?? number}`,
    pages: listOf("pages"),
    same: listOf("same"),
    offset: listOf("offset"),
    common: listOf("common"),
    name: listOf("name"),
    rare: listOf("rare"),
    create: `create:${created}:${path}`,
  };
}

/** The parameters with a value, as a query string. */
function queryString(parameters: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeTemplate(String(value))}`]))
    .join("&");
}

/** Creates each service's own database in the folder. */
export async function prepareSubjects(
  folder: ScratchFolder,
  users: number,
  jsonUsers: number,
): Promise<PeerSubject[]> {
  const pocketBase = process.env.POCKETBASE;
  return [
    constant(users),
    ...(await rosters(folder, users)),
    await fastify(folder, users),
    ...(pocketBase ? [await pocketBaseSubject(pocketBase, folder, users)] : []),
    await jsonServer(folder, jsonUsers),
  ];
}

function constant(users: number): PeerSubject {
  const time = new Date().toISOString();
  const { json } = renderUser(users, { ...sampleUser(users) }, 1, time, time);
  return {
    name: "constant response",
    users: 1,
    start: () => startConstantBun(json),
    requests: { one: "/" },
  };
}

async function rosters(folder: ScratchFolder, users: number): Promise<PeerSubject[]> {
  const seeded = await seededDatabase(users);
  const copy = (name: string) => {
    copyFileSync(seeded, folder.file(name));
    return folder.file(name);
  };
  const [open, withKey, withEnvironmentKey] = [copy("open.db"), copy("key.db"), copy("environment.db")];
  const storedKey = await createBenchKey(withKey, {
    scopes: ["users:read", "users:write"],
    rateLimit: RATE_LIMIT,
  });
  const environmentKey = createSecret();
  const rateLimit = `--rate-limit=${RATE_LIMIT.requests}/${RATE_LIMIT.seconds}`;
  const api: UsersApi = {
    path: "/api/users",
    list: ({ after, offset, search }) =>
      queryString({ limit: PAGE_SIZE, q: search, after: after && `${after}.0.id`, offset }),
  };
  const common = { users, requests: requestsFor(users, api), api };
  return [
    { ...common, name: "Roster", start: () => startService(open) },
    {
      ...common,
      name: "Roster, with a key",
      start: () => startService(withKey),
      headers: [`Authorization: Bearer ${storedKey}`],
    },
    {
      ...common,
      name: "Roster, with ROSTER_API_KEY",
      start: () => startService(withEnvironmentKey, [rateLimit], { ROSTER_API_KEY: environmentKey }),
      headers: [`Authorization: Bearer ${environmentKey}`],
    },
  ];
}

async function fastify(folder: ScratchFolder, users: number): Promise<PeerSubject> {
  const path = folder.file("fastify.db");
  const start = () => startNodeProgram("peers/fastify.mjs", path);
  // The first start creates the table.
  await (await start())[Symbol.asyncDispose]();
  using database = new Database(path);
  const insert = database.prepare(`INSERT INTO users (name, email, department, level, createdAt, updatedAt)
    VALUES (?, ?, ?, ?, ?5, ?5)`);
  const time = new Date().toISOString();
  database.transaction(() => {
    for (let number = 1; number <= users; number++) {
      const { name, email, department, level } = sampleUser(number);
      insert.run(name, email, department, level, time);
    }
  })();
  const api: UsersApi = {
    path: "/users",
    list: ({ after, offset, search }) => queryString({ limit: PAGE_SIZE, q: search, after, offset }),
  };
  return { name: "Fastify + better-sqlite3", users, start, requests: requestsFor(users, api), api };
}

async function jsonServer(folder: ScratchFolder, users: number): Promise<PeerSubject> {
  const path = folder.file("json-server.json");
  const list = Array.from({ length: users }, (_, index) => ({ id: index + 1, ...sampleUser(index + 1) }));
  await Bun.write(path, JSON.stringify({ users: list }));
  const api: UsersApi = {
    path: "/users",
    // Users have the ids 1, 2, 3 and so on: as many users precede a page as its `after` says. To skip them is faster than to compare ids.
    list: ({ after, offset, search }) =>
      search === undefined
        ? queryString({ _start: after ?? offset ?? 0, _limit: PAGE_SIZE })
        : queryString({ q: search, id_gte: after && mapNumbers(after, (id) => id + 1), _limit: PAGE_SIZE }),
  };
  return {
    name: "json-server",
    users,
    start: () => startNodeProgram("peers/json-server.mjs", path),
    requests: requestsFor(users, api),
    api,
  };
}

async function pocketBaseSubject(binary: string, folder: ScratchFolder, users: number): Promise<PeerSubject> {
  const { start, path } = await preparePocketBase(binary, folder.file("pocketbase"), users);
  const id = (number: string) => mapNumbers(number, (value) => FIRST_ID + value);
  const api: UsersApi = {
    path,
    list({ after, offset, search }) {
      const conditions = [
        ...(search === undefined ? [] : [`(name~'${search}'||email~'${search}')`]),
        ...(after === undefined ? [] : [`id>'${id(after)}'`]),
      ];
      return queryString({
        perPage: PAGE_SIZE,
        skipTotal: 1,
        page: offset && mapNumbers(offset, (value) => value / PAGE_SIZE + 1),
        // Without an order, PocketBase returns users in the order of their creation, which costs less.
        sort: after && "id",
        filter: conditions.length > 0 ? conditions.join("&&") : undefined,
      });
    },
    id,
    users: (body) => ("items" in body ? body.items : undefined),
    created: 200,
  };
  return { name: "PocketBase", users, start, requests: requestsFor(users, api), api };
}
