import { expect } from "bun:test";
import { problems } from "../../../src/contract/problems.ts";
import { bearer, type Credential } from "./credentials.ts";
import type { Deed } from "./deeds.ts";
import type { Answer, Node } from "./node.ts";
import { type Mode, type Outcome, ruled } from "./rule.ts";
import type { Wallet } from "./wallet.ts";

/** A node that callers come to, and beside it one on the same database that looks after them. */
export interface Door {
  readonly node: Node;
  readonly mode: Mode;
  /** Has the environment's key of the wallet. */
  readonly desk: Node;
  readonly wallet: Wallet;
  /** What is tried there. */
  readonly deeds: readonly Deed[];
  /** Whether it believes what a proxy says of addresses, so that as many wrong credentials can be tried as one likes. */
  readonly proxied: boolean;
}

interface Entry {
  readonly requestId?: string;
  readonly status?: number;
  readonly key?: number;
}

/** How often each of six wrong credentials may be shown from one address without its being told to wait. */
const FEW = 3;
const NO_KEY = 1;
let turn = 0;
let serial = 0;

/** Tries everything at a door with a credential, and expects of each what the rule says. */
export async function expectRuled(door: Door, credential: Credential): Promise<void> {
  const { mode, desk, wallet } = door;
  const tried = triedAt(door, credential).map((deed) => ({ deed, expected: ruled(mode, deed, credential) }));
  const somebody = await newUser(desk, wallet);
  const before = await everything(desk, wallet);
  const refused = tried.filter(({ expected }) => expected !== "done");
  const seen = await Promise.all(
    refused.map(({ deed, expected }) => {
      const id = deed.on === "users" ? somebody : (wallet.standing ?? NO_KEY);
      return attempt(door, credential, deed, id, expected);
    }),
  );
  expect(await everything(desk, wallet)).toEqual(before);
  const done = tried
    .filter(({ expected }) => expected === "done")
    .map(async ({ deed }) => {
      // Each user is changed once at most: there is none any more after it was deleted.
      const changes = deed.on === "users" && deed.named && !["GET", "HEAD"].includes(deed.method);
      const user = changes ? await newUser(desk, wallet) : somebody;
      const missing = deed.on === "keys" && deed.named && wallet.spare === undefined;
      const id = deed.on === "users" ? user : (wallet.spare ?? NO_KEY);
      return attempt(door, credential, deed, id, missing ? "key-not-found" : "done");
    });
  seen.push(...(await Promise.all(done)));
  expect(Object.fromEntries(seen.map(({ name, came }) => [name, came]))).toEqual(
    Object.fromEntries(seen.map(({ name, expected }) => [name, expected])),
  );
}

/** Nothing by which a key or a session could be used is in the log of the node, nor any cookie. */
export function expectNoSecret({ node, wallet }: Pick<Door, "node" | "wallet">): void {
  const log = node.log.join("");
  expect(log.length).toBeGreaterThan(0);
  expect(wallet.secrets.filter((secret) => log.includes(secret))).toEqual([]);
}

/** All deeds, but for the first key, which would be one where there is to be none, and more wrong credentials than one may show. */
function triedAt({ mode, proxied, wallet, deeds }: Door, credential: Credential): readonly Deed[] {
  const first = ({ on, gives }: Deed) => wallet.spare === undefined && on === "keys" && gives.length > 0;
  const tried = deeds.filter((deed) => !first(deed) || ruled(mode, deed, credential) !== "done");
  if (mode !== "required" || proxied || !credential.wrong) return tried;
  turn = (turn + FEW) % tried.length;
  return [...tried, ...tried].slice(turn, turn + FEW);
}

interface Attempt {
  readonly name: string;
  readonly expected: Outcome;
  readonly came: Outcome;
}

async function attempt(
  door: Door,
  credential: Credential,
  deed: Deed,
  id: number,
  expected: Outcome,
): Promise<Attempt> {
  const { node, mode } = door;
  const requestId = `cell-${++serial}`;
  const sent = deed.sent(id);
  const answer = await node.ask({
    ...sent,
    headers: {
      ...credential.headers,
      "x-request-id": requestId,
      ...(door.proxied && { "x-forwarded-for": `10.${serial >> 16}.${(serial >> 8) & 255}.${serial & 255}` }),
    },
  });
  const came = outcomeOf(answer, deed, expected);
  if (came === expected && came !== "done") expectProblem(door, answer, came, requestId, sent);
  const known = mode === "required" && credential.refused === undefined;
  const line = node.log.findLast((entry) => entry.includes(`"${requestId}"`)) ?? "{}";
  const { status, key }: Entry = JSON.parse(line);
  expect({ status, key }).toEqual({ status: answer.status, key: known ? credential.id : undefined });
  return { name: deed.name, expected, came };
}

/** Of an answer to HEAD there is the status alone. */
function outcomeOf({ status, problem }: Answer, { method }: Deed, expected: Outcome): Outcome {
  if (status < 400) return "done";
  if (method === "HEAD") {
    return expected !== "done" && problems[expected].status === status ? expected : "internal";
  }
  const [type = "internal"] = Object.keys(problems)
    .filter((name): name is keyof typeof problems => Object.hasOwn(problems, name))
    .filter((name) => problem?.type === `/problems/${name}`);
  return type;
}

function expectProblem(
  { wallet }: Door,
  { status, headers, text, problem }: Answer,
  type: keyof typeof problems,
  requestId: string,
  { method, path }: { readonly method: string; readonly path: string },
): void {
  expect(status).toBe(problems[type].status);
  expect(headers.get("content-type")).toBe("application/problem+json");
  if (status === 401) expect(headers.get("www-authenticate")).toStartWith("Bearer");
  if (method !== "HEAD") {
    const { title } = problems[type];
    expect(problem).toMatchObject({ type: `/problems/${type}`, status, title, instance: path, requestId });
  }
  const told = `${text}\n${[...headers].join("\n")}`;
  expect([...wallet.secrets, ...wallet.marks].filter((secret) => told.includes(secret))).toEqual([]);
}

async function newUser(desk: Node, { environmentKey }: Wallet): Promise<number> {
  const headers = bearer(environmentKey);
  const { text } = await desk.ask({
    method: "POST",
    path: "/api/users",
    headers,
    body: { name: "Somebody" },
  });
  return JSON.parse(text).id;
}

/** All keys, without what is counted of their use; how many users there are, and the last few. */
async function everything(desk: Node, { environmentKey }: Wallet): Promise<unknown> {
  const headers = bearer(environmentKey);
  const keys = await desk.ask({ method: "GET", path: "/api/keys?limit=1000", headers });
  const path = "/api/users?sort=-id&limit=3&count=true";
  const users = await desk.ask({ method: "GET", path, headers });
  return {
    count: users.headers.get("x-total-count"),
    users: JSON.parse(users.text),
    keys: JSON.parse(keys.text, (name, value) => (uses.has(name) ? undefined : value)),
  };
}

const uses = new Set(["lastUsedAt", "usage"]);
