import { isObject, type JsonObject } from "../../../src/contract/json.ts";
import { badRequests } from "../../../test/api/scim/clients/bad-requests.ts";
import {
  entraMemberOperations,
  entraUserOperations,
} from "../../../test/api/scim/clients/support/entra-operations.ts";
import type { Person } from "../../../test/api/scim/clients/support/organization.ts";
import {
  coreGroup,
  coreUser,
  enterprise,
  patch,
} from "../../../test/api/scim/clients/support/provisioning-client.ts";
import type { Random } from "../../../test/support/fuzz/random.ts";
import type { FaultyClient } from "./faulty-client.ts";
import { RepeatedRequest, type RequestOptions } from "./repeated-request.ts";
import type { Report } from "./report.ts";
import type { Hold, Tenant } from "./tenant.ts";

/** What the client does, and how often. */
const weights = {
  "connection test": 4,
  "new user": 40,
  "change of a user": 56,
  deactivation: 16,
  reactivation: 16,
  "deletion of a user": 14,
  "new group": 6,
  "change of members": 80,
  "new name of a group": 6,
  "deletion of a group": 2,
  "bad request": 20,
  "burst of lookups": 1,
};
type Kind = keyof typeof weights;

const FEWEST_USERS = 20;
const FEWEST_GROUPS = 4;
const MOST_MEMBERS = 20;
/** More than the rate limit lets through at once. */
const BURST = 90;
/** A large body that is refused early can break its connection, which looks like an error of the service. */
const LARGEST_BAD_BODY = 100_000;

const refused = badRequests
  .flatMap(([, requests]) => requests)
  .filter(({ body = "" }) => body.length < LARGEST_BAD_BODY);

interface Parts {
  readonly client: FaultyClient;
  readonly tenant: Tenant;
  readonly random: Random;
  readonly report: Report;
}

/** Talks to the directory as Entra does: looks a user or a group up, writes it, and does so again if it does not know what happened. */
export class Entra {
  readonly #parts: Parts;
  readonly #running = new Set<Promise<void>>();
  readonly #starts: Readonly<Record<Kind, () => Promise<void> | undefined>> = {
    "connection test": () => this.#testConnection(),
    "new user": () => this.#createUser(),
    "change of a user": () => this.#changeUser((key, person) => this.#parts.tenant.changePerson(key, person)),
    deactivation: () =>
      this.#changeUser(
        (_, person) => ({ ...person, active: false }),
        ({ active }) => active,
      ),
    reactivation: () =>
      this.#changeUser(
        (_, person) => ({ ...person, active: true }),
        ({ active }) => !active,
      ),
    "deletion of a user": () => this.#deleteUser(),
    "new group": () => this.#createGroup(),
    "change of members": () => this.#changeMembers(),
    "new name of a group": () => this.#renameGroup(),
    "deletion of a group": () => this.#deleteGroup(),
    "bad request": () => this.#sendBadRequest(),
    "burst of lookups": () => this.#lookUpMany(),
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Conversations that have not ended. */
  get pending(): number {
    return this.#running.size;
  }

  /** Begins a conversation, if there is anything to talk about. */
  begin(): void {
    const { tenant, random, report } = this.#parts;
    const kind: Kind =
      tenant.users.size < FEWEST_USERS
        ? "new user"
        : tenant.groups.size < FEWEST_GROUPS
          ? "new group"
          : random.weighted(weights);
    const running = this.#starts[kind]()
      ?.catch((error: unknown) =>
        report.fail(`In a ${kind}: ${error instanceof Error ? error.message : error}`),
      )
      .finally(() => this.#running.delete(running ?? Promise.resolve()));
    if (running) this.#running.add(running);
  }

  async #testConnection(): Promise<void> {
    const nobody = crypto.randomUUID();
    for (const line of [
      `GET /Users?filter=userName eq "${nobody}"`,
      `GET /Groups?excludedAttributes=members&filter=displayName eq "${nobody}"`,
    ]) {
      const found = await this.#list(line);
      if (found.length > 0) throw new Error(`${line} finds ${JSON.stringify(found).slice(0, 300)}.`);
    }
    const headers = { authorization: "Bearer nothing" };
    await this.#parts.client.send(this.#request("GET /Users", { status: 401, headers }));
    await this.#parts.client.send(this.#request("GET /ServiceProviderConfig", { status: 200 }));
  }

  #createUser(): Promise<void> | undefined {
    const { client, tenant } = this.#parts;
    const key = tenant.newKey();
    const person = tenant.newPerson(key);
    const shown = tenant.organization.shownUser(person);
    const json = {
      schemas: [coreUser, enterprise],
      nickName: null,
      roles: [],
      ...shown,
      meta: { resourceType: "User" },
    };
    const create = this.#request("POST /Users", { json, status: 201, again: 409 });
    return this.#holding([`user ${key}`], [], async () => {
      let created = await this.#findUser(person.userName);
      if (created) throw new Error(`${person.userName} exists before it is created.`);
      while (!created) {
        const answer = await client.send(create);
        if (answer?.status === 201) created = answer.body;
        else {
          created = await this.#findUser(person.userName);
          if (!created && answer?.status === 409) throw new Error(`${person.userName} is taken by nobody.`);
          if (created) await this.#patchUser(readId(created), person, entraUserOperations(person, 0));
        }
      }
      checkShown(created, shown);
      create.events = { "user.created": 1 };
      tenant.organization.link(`user ${key}`, readId(created));
      tenant.organization.users.set(key, person);
      return create.isUncertain;
    });
  }

  #changeUser(
    change: (key: number, person: Person) => Person,
    suits: (person: Person) => boolean = () => true,
  ): Promise<void> | undefined {
    const { tenant, random } = this.#parts;
    const key = pick(random, tenant.freeUsers(suits));
    const person = key === undefined ? undefined : tenant.users.get(key);
    if (key === undefined || !person) return undefined;
    const after = change(key, person);
    const style = random.below(3);
    return this.#holding([`user ${key}`], [], async () => {
      const found = await this.#findUser(person.userName);
      const id = tenant.organization.idOf(`user ${key}`);
      if (!found || readId(found) !== id) throw new Error(`${person.userName} is not found as user ${id}.`);
      checkShown(found, tenant.organization.shownUser(person));
      const known = new Set(entraUserOperations(person, style).map((each) => JSON.stringify(each)));
      const operations = entraUserOperations(after, style).filter((each) => !known.has(JSON.stringify(each)));
      const request = await this.#patchUser(id, after, operations);
      request.events = Bun.deepEquals(person, after) ? {} : { "user.updated": 1 };
      tenant.organization.users.set(key, after);
      return request.isUncertain;
    });
  }

  #deleteUser(): Promise<void> | undefined {
    const { client, tenant, random } = this.#parts;
    const key = pick(random, tenant.freeUsers());
    if (key === undefined) return undefined;
    const groups = tenant.groupsOf(key);
    const shared = groups.map((group) => `group ${group}`);
    return this.#holding([`user ${key}`], shared, async () => {
      const id = tenant.organization.idOf(`user ${key}`);
      const request = this.#request(`DELETE /Users/${id}`, { status: 204, again: 404 });
      await client.send(request);
      request.events = {
        "user.deleted": 1,
        ...(groups.length > 0 && { "group.members_changed": groups.length }),
      };
      tenant.organization.apply({ kind: "remove-user", user: key }, "delete");
      tenant.organization.link(`user ${key}`, undefined);
      return request.isUncertain;
    });
  }

  #createGroup(): Promise<void> | undefined {
    const { client, tenant } = this.#parts;
    const key = tenant.newKey();
    const displayName = tenant.newGroupName(key);
    const json = { schemas: [coreGroup], displayName, meta: { resourceType: "Group" } };
    const create = this.#request("POST /Groups", { json, status: 201, again: 409 });
    return this.#holding([`group ${key}`], [], async () => {
      let created = await this.#findGroup(displayName);
      if (created) throw new Error(`${displayName} exists before it is created.`);
      while (!created) {
        const answer = await client.send(create);
        if (answer?.status === 201) {
          created = answer.body;
          checkShown(created, { displayName, members: [] });
        } else {
          created = await this.#findGroup(displayName);
          if (!created && answer?.status === 409) throw new Error(`${displayName} is taken by nobody.`);
          if (created) checkShown(created, { displayName });
        }
      }
      create.events = { "group.created": 1 };
      tenant.organization.link(`group ${key}`, readId(created));
      tenant.organization.groups.set(key, { displayName, members: new Set() });
      return create.isUncertain;
    });
  }

  /** Adds some users, and removes others. Other conversations may change other members at the same time. */
  #changeMembers(): Promise<void> | undefined {
    const { client, tenant, random } = this.#parts;
    const group = pick(random, tenant.freeGroups({ mayShare: true }));
    const free = new Set(tenant.freeUsers());
    const count = random.between(1, MOST_MEMBERS);
    const users = new Set(Array.from({ length: count }, () => pick(random, [...free]) ?? 0));
    const team = group === undefined ? undefined : tenant.groups.get(group);
    if (group === undefined || !team || free.size === 0) return undefined;
    const removed = [...users].filter((user) => team.members.has(user));
    const added = [...users].filter((user) => !team.members.has(user));
    const subjects = [...users].map((user) => `user ${user}`);
    return this.#holding(subjects, [`group ${group}`], async () => {
      const { organization } = tenant;
      const id = organization.idOf(`group ${group}`);
      const idOf = (user: number) => organization.idOf(`user ${user}`);
      const found = await client.send(
        this.#request(`GET /Groups/${id}?excludedAttributes=members`, { status: 200 }),
      );
      checkShown(found?.body ?? {}, { displayName: team.displayName });
      const operations = entraMemberOperations({
        added: added.map(idOf),
        removed: removed.map(idOf),
        style: random.below(3),
      });
      const request = this.#request(`PATCH /Groups/${id}`, { json: patch(...operations), status: 204 });
      await client.send(request);
      request.events = { "group.members_changed": 1 };
      const members = new Set(tenant.groups.get(group)?.members);
      for (const user of added) members.add(user);
      for (const user of removed) members.delete(user);
      organization.groups.set(group, { displayName: team.displayName, members });
      const [asked = 0] = users;
      const ask = `GET /Groups?filter=id eq "${id}" and members eq "${idOf(asked)}"&attributes=id`;
      const isMember = (await this.#list(ask)).length === 1;
      if (isMember !== added.includes(asked)) throw new Error(`${ask} finds the opposite.`);
      return request.isUncertain;
    });
  }

  #renameGroup(): Promise<void> | undefined {
    const { client, tenant, random } = this.#parts;
    const group = pick(random, tenant.freeGroups({ mayShare: false }));
    const team = group === undefined ? undefined : tenant.groups.get(group);
    if (group === undefined || !team) return undefined;
    const displayName = tenant.newGroupName(group);
    return this.#holding([`group ${group}`], [], async () => {
      const id = tenant.organization.idOf(`group ${group}`);
      const json = patch({ op: "Replace", path: "displayName", value: displayName });
      const request = this.#request(`PATCH /Groups/${id}`, { json, status: 204 });
      await client.send(request);
      request.events = displayName === team.displayName ? {} : { "group.updated": 1 };
      const members = tenant.groups.get(group)?.members ?? new Set();
      tenant.organization.groups.set(group, { displayName, members });
      return request.isUncertain;
    });
  }

  #deleteGroup(): Promise<void> | undefined {
    const { client, tenant, random } = this.#parts;
    const group = pick(random, tenant.freeGroups({ mayShare: false }));
    if (group === undefined) return undefined;
    return this.#holding([`group ${group}`], [], async () => {
      const id = tenant.organization.idOf(`group ${group}`);
      const request = this.#request(`DELETE /Groups/${id}`, { status: 204, again: 404 });
      await client.send(request);
      request.events = { "group.deleted": 1 };
      tenant.organization.apply({ kind: "remove-group", group }, "delete");
      tenant.organization.link(`group ${group}`, undefined);
      return request.isUncertain;
    });
  }

  async #sendBadRequest(): Promise<void> {
    const { client, random, report } = this.#parts;
    const bad = refused[random.below(refused.length)];
    if (!bad) return;
    report.provoke("a bad request");
    const { name, request, scimType, ...options } = bad;
    const answer = await client.send(this.#request(request, options));
    if (answer?.body.scimType !== scimType)
      throw new Error(`${request} with ${name} has the scimType ${answer?.body.scimType}, not ${scimType}.`);
  }

  /** Sends more lookups at once than the rate limit allows. */
  async #lookUpMany(): Promise<void> {
    const { client, report } = this.#parts;
    report.provoke("a burst of lookups");
    const lookUp = () =>
      client.send(this.#request('GET /Users?filter=userName eq "nobody"', { status: 200, isUrgent: true }));
    await Promise.all(Array.from({ length: BURST }, lookUp));
  }

  /** `run` returns whether an attempt to make its change may still be on its way. After a failure, nobody uses the subjects again. */
  #holding(
    subjects: readonly string[],
    shared: readonly string[],
    run: () => Promise<boolean>,
  ): Promise<void> | undefined {
    const hold: Hold | undefined = this.#parts.tenant.hold(subjects, shared);
    return hold && run().then((rests) => hold.release({ rests }));
  }

  async #patchUser(id: string, after: Person, operations: readonly object[]): Promise<RepeatedRequest> {
    const { client, tenant } = this.#parts;
    const request = this.#request(`PATCH /Users/${id}`, { json: patch(...operations), status: 200 });
    const answer = await client.send(request);
    checkShown(answer?.body ?? {}, tenant.organization.shownUser(after));
    return request;
  }

  #findUser(userName: string): Promise<JsonObject | undefined> {
    return this.#find(`GET /Users?filter=userName eq "${userName}"`);
  }

  #findGroup(displayName: string): Promise<JsonObject | undefined> {
    return this.#find(`GET /Groups?excludedAttributes=members&filter=displayName eq "${displayName}"`);
  }

  async #find(line: string): Promise<JsonObject | undefined> {
    const [found, ...others] = await this.#list(line);
    if (others.length > 0) throw new Error(`${line} finds ${others.length + 1} resources.`);
    return found;
  }

  async #list(line: string): Promise<JsonObject[]> {
    const answer = await this.#parts.client.send(this.#request(line, { status: 200 }));
    const { Resources, totalResults } = answer?.body ?? {};
    if (!Array.isArray(Resources) || Resources.length !== totalResults)
      throw new Error(`${line} is answered without its list.`);
    return Resources.filter(isObject);
  }

  #request(line: string, options: RequestOptions): RepeatedRequest {
    return new RepeatedRequest(line, options);
  }
}

function readId({ id }: JsonObject): string {
  if (typeof id !== "string") throw new Error("A resource has no id.");
  return id;
}

function checkShown(resource: JsonObject, expected: object): void {
  const { schemas: _schemas, id: _id, meta: _meta, ...shown } = resource;
  if (!Bun.deepEquals(shown, expected))
    throw new Error(`SCIM shows ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}.`);
}

function pick<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[random.below(items.length)];
}
