/** Whether the services of `peers` return the users that a request asks for. */
import { isDeepStrictEqual } from "node:util";
import { hasPlaces, parseTemplate } from "../support/path-template.ts";
import { newSampleUser, type SampleUser, sampleUser } from "../support/sample-users.ts";
import { fetchJson } from "./fetch-json.ts";
import { fillPage, type ListKind, PAGE_SIZE, type RequestedPage, requestedPages } from "./requested-pages.ts";
import type { PeerKind } from "./results.ts";
import type { PeerSubject, UsersApi } from "./subjects.ts";

/** From the first to the last of the values that a request can have. */
const SHARES = [0, 0.25, 0.5, 0.75, 1 - 1e-9];

/** Throws if the service does not answer requests of this kind with the sample users that they ask for. */
export async function checkResponses(subject: PeerSubject, kind: PeerKind, url: string): Promise<void> {
  const { api } = subject;
  if (!api) return;
  try {
    if (kind === "create") await checkCreate(subject, api, url);
    else await checkReads(subject, kind, url);
  } catch (error) {
    throw new Error(`${subject.name} answers the kind ${kind} wrongly.`, { cause: error });
  }
}

async function checkReads(
  subject: PeerSubject,
  kind: Exclude<PeerKind, "create">,
  url: string,
): Promise<void> {
  const request = subject.requests[kind] ?? "";
  const seen = new Set<string>();
  for (const share of SHARES) {
    const path = parseTemplate(request)(() => share);
    const body = await fetchJson(subject, url + path);
    const found = kind === "one" ? [toSampleUser(body)] : usersOf(body, subject.api);
    expectUsers(path, found, expectedUsers(subject.users, kind, share));
    seen.add(JSON.stringify(found));
  }
  const different = hasPlaces(request) ? SHARES.length : 1;
  if (seen.size !== different)
    throw new Error(
      `${SHARES.length} requests found ${seen.size} different answers instead of ${different}.`,
    );
}

/** The response has the new user, and reading the user returns it too. */
async function checkCreate(
  subject: PeerSubject,
  { path, created = 201 }: UsersApi,
  url: string,
): Promise<void> {
  const user = newSampleUser(1, "check");
  const body = await fetchJson(subject, url + path, { method: "POST", body: user, status: created });
  expectUsers(path, [toSampleUser(body)], [user]);
  const id = isObject(body) && "id" in body ? body.id : undefined;
  expectUsers(`${path}/${id}`, [toSampleUser(await fetchJson(subject, `${url}${path}/${id}`))], [user]);
}

function expectedUsers(users: number, kind: "one" | ListKind, share: number): SampleUser[] {
  if (kind === "one") return [sampleUser(Number(parseTemplate(`{${users}}`)(() => share)))];
  return findSampleUsers(users, fillPage(requestedPages(users)[kind], share));
}

/** The page that a service has to return. */
function findSampleUsers(
  users: number,
  { after = "0", offset = "0", search = "" }: RequestedPage,
): SampleUser[] {
  const found: SampleUser[] = [];
  let skipped = 0;
  for (let number = Number(after) + 1; number <= users && found.length < PAGE_SIZE; number++) {
    const user = sampleUser(number);
    if (!`${user.name}\n${user.email}`.toLowerCase().includes(search)) continue;
    if (skipped++ >= Number(offset)) found.push(user);
  }
  return found;
}

function expectUsers(path: string, found: readonly SampleUser[], expected: readonly SampleUser[]): void {
  if (expected.length === 0) throw new Error(`${path} asks for no user.`);
  const rows = Array.from({ length: Math.max(found.length, expected.length) }, (_, row) => row);
  const wrong = rows.find((row) => !isDeepStrictEqual(found[row], expected[row]));
  if (wrong === undefined) return;
  const describe = (user: SampleUser | undefined) => (user ? JSON.stringify(user) : "nothing");
  throw new Error(
    `${path}: user ${wrong + 1} is ${describe(found[wrong])}, and not ${describe(expected[wrong])}.`,
  );
}

function usersOf(body: unknown, api: UsersApi | undefined): SampleUser[] {
  const users = isObject(body) && api?.users ? api.users(body) : body;
  if (!Array.isArray(users)) throw new Error("The response has no list of users.");
  return users.map(toSampleUser);
}

/** The fields of a user in a response that the sample user has. */
function toSampleUser(value: unknown): SampleUser {
  const { name, email, department, level } = { ...noUser, ...(isObject(value) ? value : {}) };
  return { name, email, department, level };
}

const noUser: SampleUser = { name: "", email: "", department: "", level: Number.NaN };

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
