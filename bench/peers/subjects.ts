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
import { sampleUser } from "../support/sample-users.ts";
import type { ScratchFolder } from "../support/scratch-folder.ts";
import { seededDatabase } from "../support/seeded-database.ts";
import { preparePocketBase } from "./pocketbase.ts";
import type { PeerKind } from "./results.ts";

export interface PeerSubject {
  readonly name: string;
  readonly users: number;
  readonly start: () => Promise<ChildServer>;
  /** In the syntax of `request-mix.ts`. */
  readonly requests: { readonly [Kind in PeerKind]?: string };
  readonly headers?: readonly string[];
}

/** Text that one user in five matches, and text that only the user with this number matches. */
const COMMON = "example.net";
const rareText = (users: number) => `${users - 1}@`;
const OFFSET = 9000;
/** Above what a loopback client can send: counts every request and rejects none. */
const RATE_LIMIT = { requests: 1_000_000, seconds: 1 };

/** The same requests to a service with other names for its paths and parameters. */
function requestsFor(
  users: number,
  path: string,
  list: (page: { offset: number; search?: string }) => string,
): PeerSubject["requests"] {
  return {
    one: `${path}/{${users}}`,
    list: `${path}?${list({ offset: 0 })}`,
    offset: `${path}?${list({ offset: OFFSET })}`,
    common: `${path}?${list({ offset: 0, search: COMMON })}`,
    rare: `${path}?${list({ offset: 0, search: rareText(users) })}`,
    create: `create:201:${path}`,
  };
}

const plainList = ({ offset, search }: { offset: number; search?: string }) =>
  `limit=20${offset > 0 ? `&offset=${offset}` : ""}${search === undefined ? "" : `&q=${search}`}`;

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
  const requests = requestsFor(users, "/api/users", plainList);
  return [
    { name: "Roster", users, start: () => startService(open), requests },
    {
      name: "Roster, with a key",
      users,
      start: () => startService(withKey),
      requests,
      headers: [`Authorization: Bearer ${storedKey}`],
    },
    {
      name: "Roster, with ROSTER_API_KEY",
      users,
      start: () => startService(withEnvironmentKey, [rateLimit], { ROSTER_API_KEY: environmentKey }),
      requests,
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
  return {
    name: "Fastify + better-sqlite3",
    users,
    start,
    requests: requestsFor(users, "/users", plainList),
  };
}

async function jsonServer(folder: ScratchFolder, users: number): Promise<PeerSubject> {
  const path = folder.file("json-server.json");
  const list = Array.from({ length: users }, (_, index) => ({ id: index + 1, ...sampleUser(index + 1) }));
  await Bun.write(path, JSON.stringify({ users: list }));
  const query = ({ offset, search }: { offset: number; search?: string }) =>
    `_start=${offset}&_limit=20${search === undefined ? "" : `&q=${search}`}`;
  return {
    name: "json-server",
    users,
    start: () => startNodeProgram("peers/json-server.mjs", path),
    requests: requestsFor(users, "/users", query),
  };
}

async function pocketBaseSubject(binary: string, folder: ScratchFolder, users: number): Promise<PeerSubject> {
  const { start, path } = await preparePocketBase(binary, folder.file("pocketbase"), users);
  const query = ({ offset, search }: { offset: number; search?: string }) => {
    const filter =
      search === undefined ? "" : `&filter=${encodeURIComponent(`name~'${search}'||email~'${search}'`)}`;
    return `perPage=20&skipTotal=1&page=${offset / 20 + 1}${filter}`;
  };
  const requests = { ...requestsFor(users, path, query), create: `create:200:${path}` };
  return { name: "PocketBase", users, start, requests };
}
