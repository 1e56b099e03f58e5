import { expect } from "bun:test";
import { problems } from "../../../../src/contract/problems.ts";
import { messageUrns } from "../../../../src/contract/scim/scim.ts";
import { bearer } from "../../../support/credentials.ts";
import { type ReadResponse, readResponse } from "../../../support/responses.ts";
import type { TestService } from "../../../support/service.ts";
import { expectedOutcome, type Mode, type Outcome } from "./access-rules.ts";
import type { Credential } from "./credential-kinds.ts";
import type { ProtectedOperation } from "./protected-operations.ts";
import type { TestKeys } from "./test-keys.ts";

/** A node to test, and an admin node on the same database. */
export interface AccessScenario {
  readonly node: TestService;
  readonly mode: Mode;
  /** Its ROSTER_API_KEY is the environment key of `keys`. */
  readonly adminNode: TestService;
  readonly keys: TestKeys;
  /** The operations to call. */
  readonly operations: readonly ProtectedOperation[];
  /** Whether the node trusts X-Forwarded-For, so that each request can come from another address. */
  readonly trustsProxy: boolean;
}

interface LogEntry {
  readonly requestId?: string;
  readonly level?: string;
  readonly status?: number;
  readonly key?: number;
}

/** Requests with each wrong credential from one address. More would be rate limited. */
const REQUESTS_PER_WRONG_CREDENTIAL = 3;
const MISSING_KEY_ID = 1;
const MISSING_ID = 999_999;
/** Rotates through the operations, so that all are called with some wrong credential. */
let offset = 0;
let requestCount = 0;

/** Calls every operation with a credential, and expects what the access rules say. */
export async function expectAccess(scenario: AccessScenario, credential: Credential): Promise<void> {
  const { mode, adminNode, keys: testKeys } = scenario;
  const calls = chooseOperations(scenario, credential).map((operation) => ({
    operation,
    expected: expectedOutcome(mode, operation, credential),
  }));
  const shared = {
    users: await createRecord(adminNode, testKeys, "users"),
    groups: await createRecord(adminNode, testKeys, "groups"),
  };
  const before = await readState(adminNode, testKeys);
  const rejected = calls.filter(({ expected }) => expected !== "done");
  const results = await Promise.all(
    rejected.map(({ operation, expected }) => {
      const id = isRecordOf(operation)
        ? shared[operation.resource]
        : (testKeys.untouchedKeyId ?? MISSING_KEY_ID);
      return call(scenario, credential, operation, id, expected);
    }),
  );
  expect(await readState(adminNode, testKeys)).toEqual(before);
  const allowed = calls
    .filter(({ expected }) => expected === "done")
    .map(async ({ operation }) => {
      if (isRecordOf(operation)) {
        // Each change gets its own record, because one of the changes deletes it.
        const changes = operation.hasId && !["GET", "HEAD"].includes(operation.method);
        const { resource } = operation;
        const id = changes ? await createRecord(adminNode, testKeys, resource) : shared[resource];
        // The groups of this test have no members.
        const isMissing = operation.name.startsWith("readMember");
        const answer = isMissing ? "member-not-found" : operation.answer;
        return call(scenario, credential, operation, id, answer ?? "done");
      }
      if (operation.resource === "webhooks" && operation.hasId)
        return call(scenario, credential, operation, MISSING_ID, "webhook-not-found");
      if (operation.resource === "deleted-users")
        return call(scenario, credential, operation, MISSING_ID, "user-not-found");
      const missing = operation.resource === "keys" && operation.hasId && testKeys.spareKeyId === undefined;
      const id = testKeys.spareKeyId ?? MISSING_KEY_ID;
      return call(scenario, credential, operation, id, missing ? "key-not-found" : "done");
    });
  results.push(...(await Promise.all(allowed)));
  await deleteWebhooks(adminNode, testKeys);
  expect(Object.fromEntries(results.map(({ name, outcome }) => [name, outcome]))).toEqual(
    Object.fromEntries(results.map(({ name, expected }) => [name, expected])),
  );
}

/** Expects no secret, digest, session token or cookie in the node's log. */
export function expectNoSecretsInLog({ node, keys: testKeys }: Pick<AccessScenario, "node" | "keys">): void {
  const log = node.log.join("");
  expect(log.length).toBeGreaterThan(0);
  expect(testKeys.secrets.filter((secret) => log.includes(secret))).toEqual([]);
}

/** All operations, except that no first key is created where none must exist, and that wrong credentials are not rate limited. */
function chooseOperations(
  { mode, trustsProxy, keys: testKeys, operations }: AccessScenario,
  credential: Credential,
): readonly ProtectedOperation[] {
  const createsFirstKey = ({ resource, grantedScopes }: ProtectedOperation) =>
    testKeys.spareKeyId === undefined && resource === "keys" && grantedScopes.length > 0;
  const chosen = operations.filter(
    (operation) => !createsFirstKey(operation) || expectedOutcome(mode, operation, credential) !== "done",
  );
  if (mode !== "required" || trustsProxy || !credential.wrong) return chosen;
  offset = (offset + REQUESTS_PER_WRONG_CREDENTIAL) % chosen.length;
  return [...chosen, ...chosen].slice(offset, offset + REQUESTS_PER_WRONG_CREDENTIAL);
}

interface CallResult {
  readonly name: string;
  readonly expected: Outcome;
  readonly outcome: Outcome;
}

async function call(
  scenario: AccessScenario,
  credential: Credential,
  operation: ProtectedOperation,
  id: number,
  expected: Outcome,
): Promise<CallResult> {
  const { node, mode } = scenario;
  const requestId = `access-${++requestCount}`;
  const { path, ...request } = operation.toRequest(id);
  const headers = {
    ...request.headers,
    ...credential.headers,
    "x-request-id": requestId,
    ...(scenario.trustsProxy && {
      "x-forwarded-for": `10.${requestCount >> 16}.${(requestCount >> 8) & 255}.${requestCount & 255}`,
    }),
  };
  const response = await readResponse(node.call(path, { ...request, headers }));
  const outcome = readOutcome(response, operation, expected);
  if (outcome === expected && outcome !== "done")
    expectProblem(scenario, response, outcome, requestId, { operation, path });
  const isAuthenticated = mode === "required" && credential.problemType === undefined;
  const line = node.log.findLast((entry) => entry.includes(`"${requestId}"`)) ?? "{}";
  const { level, status, key }: LogEntry = JSON.parse(line);
  expect({ level, status, key }).toEqual({
    level: outcome === "done" && operation.logged ? "info" : "debug",
    status: response.status,
    key: isAuthenticated ? credential.id : undefined,
  });
  return { name: operation.name, expected, outcome };
}

/** A response to HEAD has no body, and one of SCIM does not name the problem: both have only the status. */
function readOutcome(
  { status, problem }: ReadResponse,
  { method, isScim }: ProtectedOperation,
  expected: Outcome,
): Outcome {
  if (status < 400) return "done";
  if (method === "HEAD" || isScim) {
    return expected !== "done" && problems[expected].status === status ? expected : "internal";
  }
  const [type = "internal"] = Object.keys(problems)
    .filter((name): name is keyof typeof problems => Object.hasOwn(problems, name))
    .filter((name) => problem?.type === `/problems/${name}`);
  return type;
}

function expectProblem(
  { keys: testKeys }: AccessScenario,
  { status, headers, text, problem }: ReadResponse,
  type: keyof typeof problems,
  requestId: string,
  { operation: { method, isScim }, path }: { readonly operation: ProtectedOperation; readonly path: string },
): void {
  expect(status).toBe(problems[type].status);
  expect(headers.get("content-type")).toBe(`application/${isScim ? "scim" : "problem"}+json`);
  if (status === 401) expect(headers.get("www-authenticate")).toStartWith("Bearer");
  if (method !== "HEAD" && isScim) {
    expect(JSON.parse(text)).toEqual({
      schemas: [messageUrns.error],
      status: String(status),
      detail: expect.any(String),
    });
  } else if (method !== "HEAD") {
    const { title } = problems[type];
    expect(problem).toMatchObject({
      type: `/problems/${type}`,
      status,
      title,
      instance: path.replace(/\?.*/, ""),
      requestId,
    });
  }
  const received = `${text}\n${[...headers].join("\n")}`;
  expect(
    [...testKeys.secrets, ...testKeys.publicTraces].filter((secret) => received.includes(secret)),
  ).toEqual([]);
}

type RecordOperation = ProtectedOperation & { readonly resource: "users" | "groups" };

/** Whether the operation is about users or groups: there are as many as a test wants. */
function isRecordOf(operation: ProtectedOperation): operation is RecordOperation {
  return operation.resource === "users" || operation.resource === "groups";
}

let recordCount = 0;

async function createRecord(
  adminNode: TestService,
  { environmentKey }: TestKeys,
  resource: "users" | "groups",
): Promise<number> {
  const headers = bearer(environmentKey);
  const json = { name: `Grace ${++recordCount}` };
  const created = await adminNode.call(`/api/${resource}`, { method: "POST", headers, json });
  return (await created.json()).id;
}

/** There can be only so many webhooks. */
async function deleteWebhooks(adminNode: TestService, { environmentKey }: TestKeys): Promise<void> {
  const headers = bearer(environmentKey);
  const webhooks = await adminNode.call("/api/webhooks", { headers });
  for (const { id } of await webhooks.json()) {
    await adminNode.call(`/api/webhooks/${id}`, { method: "DELETE", headers });
  }
}

/** All webhooks, all keys without their usage, the number of users and of groups, and the last three of them. */
async function readState(adminNode: TestService, { environmentKey }: TestKeys): Promise<unknown> {
  const headers = bearer(environmentKey);
  const keys = await readResponse(adminNode.call("/api/keys?limit=1000", { headers }));
  const readLast = async (resource: "users" | "groups") => {
    const path = `/api/${resource}?sort=-id&limit=3&count=true`;
    const page = await readResponse(adminNode.call(path, { headers }));
    return { count: page.headers.get("x-total-count"), last: JSON.parse(page.text) };
  };
  const webhooks = await readResponse(adminNode.call("/api/webhooks", { headers }));
  return {
    webhooks: JSON.parse(webhooks.text),
    users: await readLast("users"),
    groups: await readLast("groups"),
    keys: JSON.parse(keys.text, (name, value) => (usageFields.has(name) ? undefined : value)),
  };
}

const usageFields = new Set(["lastUsedAt", "usage"]);
