import { expect } from "bun:test";
import { problems } from "../../../src/contract/problems.ts";
import { expectedOutcome, type Mode, type Outcome } from "./access-rules.ts";
import { bearer, type Credential } from "./credentials.ts";
import type { ProtectedOperation } from "./protected-operations.ts";
import type { TestKeys } from "./test-keys.ts";
import type { TestNode, TestResponse } from "./test-node.ts";

/** A node that callers come to, and beside it one on the same database that looks after them. */
export interface AccessScenario {
  readonly node: TestNode;
  readonly mode: Mode;
  /** Has the environment's key of the testKeys. */
  readonly adminNode: TestNode;
  readonly keys: TestKeys;
  /** What is tried there. */
  readonly operations: readonly ProtectedOperation[];
  /** Whether it believes what a proxy says of addresses, so that as many wrong credentials can be tried as one likes. */
  readonly trustsProxy: boolean;
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

/** Tries everything at a scenario with a credential, and expects of each what the rule says. */
export async function expectAccess(scenario: AccessScenario, credential: Credential): Promise<void> {
  const { mode, adminNode, keys: testKeys } = scenario;
  const tried = triedAt(scenario, credential).map((operation) => ({
    operation,
    expected: expectedOutcome(mode, operation, credential),
  }));
  const somebody = await newUser(adminNode, testKeys);
  const before = await everything(adminNode, testKeys);
  const refused = tried.filter(({ expected }) => expected !== "done");
  const seen = await Promise.all(
    refused.map(({ operation, expected }) => {
      const id = operation.resource === "users" ? somebody : (testKeys.untouchedKeyId ?? NO_KEY);
      return attempt(scenario, credential, operation, id, expected);
    }),
  );
  expect(await everything(adminNode, testKeys)).toEqual(before);
  const done = tried
    .filter(({ expected }) => expected === "done")
    .map(async ({ operation }) => {
      // Each user is changed once at most: there is none any more after it was deleted.
      const changes =
        operation.resource === "users" && operation.hasId && !["GET", "HEAD"].includes(operation.method);
      const user = changes ? await newUser(adminNode, testKeys) : somebody;
      const missing = operation.resource === "keys" && operation.hasId && testKeys.spareKeyId === undefined;
      const id = operation.resource === "users" ? user : (testKeys.spareKeyId ?? NO_KEY);
      return attempt(scenario, credential, operation, id, missing ? "key-not-found" : "done");
    });
  seen.push(...(await Promise.all(done)));
  expect(Object.fromEntries(seen.map(({ name, came }) => [name, came]))).toEqual(
    Object.fromEntries(seen.map(({ name, expected }) => [name, expected])),
  );
}

/** Nothing by which a key or a session could be used is in the log of the node, nor any cookie. */
export function expectNoSecretsInLog({ node, keys: testKeys }: Pick<AccessScenario, "node" | "keys">): void {
  const log = node.log.join("");
  expect(log.length).toBeGreaterThan(0);
  expect(testKeys.secrets.filter((secret) => log.includes(secret))).toEqual([]);
}

/** All deeds, but for the first key, which would be one where there is to be none, and more wrong credentials than one may show. */
function triedAt(
  { mode, trustsProxy: proxied, keys: testKeys, operations: deeds }: AccessScenario,
  credential: Credential,
): readonly ProtectedOperation[] {
  const first = ({ resource: on, grantedScopes: gives }: ProtectedOperation) =>
    testKeys.spareKeyId === undefined && on === "keys" && gives.length > 0;
  const tried = deeds.filter(
    (operation) => !first(operation) || expectedOutcome(mode, operation, credential) !== "done",
  );
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
  scenario: AccessScenario,
  credential: Credential,
  operation: ProtectedOperation,
  id: number,
  expected: Outcome,
): Promise<Attempt> {
  const { node, mode } = scenario;
  const requestId = `cell-${++serial}`;
  const sent = operation.toRequest(id);
  const answer = await node.request({
    ...sent,
    headers: {
      ...credential.headers,
      "x-request-id": requestId,
      ...(scenario.trustsProxy && {
        "x-forwarded-for": `10.${serial >> 16}.${(serial >> 8) & 255}.${serial & 255}`,
      }),
    },
  });
  const came = outcomeOf(answer, operation, expected);
  if (came === expected && came !== "done") expectProblem(scenario, answer, came, requestId, sent);
  const known = mode === "required" && credential.refused === undefined;
  const line = node.log.findLast((entry) => entry.includes(`"${requestId}"`)) ?? "{}";
  const { status, key }: Entry = JSON.parse(line);
  expect({ status, key }).toEqual({ status: answer.status, key: known ? credential.id : undefined });
  return { name: operation.name, expected, came };
}

/** Of an answer to HEAD there is the status alone. */
function outcomeOf(
  { status, problem }: TestResponse,
  { method }: ProtectedOperation,
  expected: Outcome,
): Outcome {
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
  { keys: testKeys }: AccessScenario,
  { status, headers, text, problem }: TestResponse,
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
  expect([...testKeys.secrets, ...testKeys.publicTraces].filter((secret) => told.includes(secret))).toEqual(
    [],
  );
}

async function newUser(adminNode: TestNode, { environmentKey }: TestKeys): Promise<number> {
  const headers = bearer(environmentKey);
  const { text } = await adminNode.request({
    method: "POST",
    path: "/api/users",
    headers,
    body: { name: "Somebody" },
  });
  return JSON.parse(text).id;
}

/** All keys, without what is counted of their use; how many users there are, and the last few. */
async function everything(adminNode: TestNode, { environmentKey }: TestKeys): Promise<unknown> {
  const headers = bearer(environmentKey);
  const keys = await adminNode.request({ method: "GET", path: "/api/keys?limit=1000", headers });
  const path = "/api/users?sort=-id&limit=3&count=true";
  const users = await adminNode.request({ method: "GET", path, headers });
  return {
    count: users.headers.get("x-total-count"),
    users: JSON.parse(users.text),
    keys: JSON.parse(keys.text, (name, value) => (uses.has(name) ? undefined : value)),
  };
}

const uses = new Set(["lastUsedAt", "usage"]);
