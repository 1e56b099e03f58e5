import { entraMemberOperations, entraUserOperations } from "./entra-operations.ts";
import type { Organization, Person, Team } from "./organization.ts";
import {
  coreGroup,
  coreUser,
  enterprise,
  type ProvisioningClient,
  patch,
  type Step,
} from "./provisioning-client.ts";

/** How a client sends what has changed. */
export interface Delivery {
  /** Whether the client sends every request twice, as after an answer that was lost. */
  readonly repeats: boolean;
  /** Which of its ways of writing the client uses. */
  readonly style: number;
}

/** Makes the directory equal to an organization, entry by entry, with the requests of an identity provider. */
export abstract class SynchronizationEngine {
  /** What the client does with users that leave. */
  abstract readonly removal: "delete" | "deactivate";

  constructor(readonly client: ProvisioningClient) {}

  /** Sends the state of an entry, such as `user 3`. */
  async synchronize(organization: Organization, subject: string, delivery: Delivery): Promise<void> {
    const isUser = subject.startsWith("user");
    const entry = isUser ? organization.user(subject) : organization.group(subject);
    const endpoint = isUser ? "/Users" : "/Groups";
    const id = organization.findId(subject);
    if (!entry) {
      if (id !== undefined) await this.#remove(`${endpoint}/${id}`, delivery);
      organization.link(subject, undefined);
    } else if (id === undefined) {
      const body = "userName" in entry ? userBody(organization, entry) : groupBody(organization, entry);
      organization.link(subject, await this.#create(endpoint, body, delivery));
    } else if ("userName" in entry) {
      await this.writeUser(id, organization, entry, delivery);
    } else {
      await this.writeGroup(id, organization, entry, delivery);
    }
  }

  protected abstract writeUser(
    id: string,
    organization: Organization,
    person: Person,
    delivery: Delivery,
  ): Promise<void>;
  protected abstract writeGroup(
    id: string,
    organization: Organization,
    team: Team,
    delivery: Delivery,
  ): Promise<void>;

  /** Sends a request that can be repeated. */
  protected async write(request: string, step: Step, { repeats }: Delivery): Promise<void> {
    await this.client.repeat(request, step, repeats ? 2 : 1);
  }

  /** Matches first, then creates. If the answer is lost, the next attempt is a conflict, and the client matches again. */
  async #create(endpoint: string, body: object, { repeats }: Delivery): Promise<string> {
    const match = "userName" in body ? `userName eq "${body.userName}"` : matchGroup(body);
    const search = `GET ${endpoint}?filter=${match}`;
    await this.client.send(search, { status: 200, finds: [] });
    const { id } = await this.client.send(`POST ${endpoint}`, { json: body, status: 201 });
    if (!repeats) return id;
    await this.client.send(`POST ${endpoint}`, { json: body, status: 409, scimType: "uniqueness" });
    await this.client.send(search, { status: 200, finds: [id] });
    return id;
  }

  async #remove(path: string, { repeats }: Delivery): Promise<void> {
    await this.client.send(`DELETE ${path}`, { status: 204 });
    if (repeats) await this.client.send(`DELETE ${path}`, { status: 404 });
  }
}

/** Sends one PATCH with an operation for each attribute, or without paths. Users that leave are deleted. */
export class EntraEngine extends SynchronizationEngine {
  override readonly removal = "delete";

  protected override async writeUser(
    id: string,
    organization: Organization,
    person: Person,
    delivery: Delivery,
  ): Promise<void> {
    await this.write(
      `PATCH /Users/${id}`,
      {
        json: patch(...entraUserOperations(person, delivery.style)),
        status: 200,
        shows: organization.shownUser(person),
      },
      delivery,
    );
  }

  protected override async writeGroup(
    id: string,
    organization: Organization,
    team: Team,
    delivery: Delivery,
  ): Promise<void> {
    const { body } = await this.client.send(`GET /Groups/${id}`, { status: 200 });
    const wanted = organization.memberIds(team);
    const present = readMembers(body.members);
    const operations = entraMemberOperations({
      added: wanted.filter((value) => !present.includes(value)),
      removed: present.filter((value) => !wanted.includes(value)),
      style: delivery.style,
    });
    const rename = { op: "Replace", path: "displayName", value: team.displayName };
    await this.write(
      `PATCH /Groups/${id}`,
      {
        json: patch(rename, ...operations),
        status: 204,
      },
      delivery,
    );
  }
}

/** Sends users with PUT, and groups with PUT or PATCH. Users that leave are deactivated. */
export class OktaEngine extends SynchronizationEngine {
  override readonly removal = "deactivate";

  protected override async writeUser(
    id: string,
    organization: Organization,
    person: Person,
    delivery: Delivery,
  ): Promise<void> {
    await this.client.send(`GET /Users/${id}`, { status: 200 });
    const json = { ...userBody(organization, person), id };
    const shows = organization.shownUser(person);
    await this.write(`PUT /Users/${id}`, { json, status: 200, shows }, delivery);
    const active = patch({ op: "replace", value: { active: person.active } });
    await this.write(`PATCH /Users/${id}`, { json: active, status: 200, shows }, delivery);
  }

  protected override async writeGroup(
    id: string,
    organization: Organization,
    team: Team,
    delivery: Delivery,
  ): Promise<void> {
    const body = groupBody(organization, team);
    if (delivery.style === 0) {
      await this.write(`PUT /Groups/${id}`, { json: { ...body, id }, status: 200 }, delivery);
      return;
    }
    const { displayName, members } = body;
    const rename = { op: "replace", value: { id, displayName } };
    await this.write(`PATCH /Groups/${id}`, { json: patch(rename), status: 204 }, delivery);
    const replace = { op: "replace", path: "members", value: members };
    await this.write(`PATCH /Groups/${id}`, { json: patch(replace), status: 204 }, delivery);
  }
}

function userBody(organization: Organization, person: Person) {
  return {
    schemas: [coreUser, enterprise],
    ...organization.shownUser(person),
    userName: person.userName,
    groups: [],
    password: "never-stored",
  };
}

function groupBody(organization: Organization, team: Team) {
  const { displayName } = team;
  const members = organization.memberIds(team).map((value) => ({ value, display: `Person ${value}` }));
  return { schemas: [coreGroup], displayName, members };
}

function matchGroup(body: object): string {
  return "displayName" in body ? `displayName eq "${body.displayName}"` : "";
}

function readMembers(members: unknown): string[] {
  if (!Array.isArray(members)) throw new Error("The group shows no members.");
  return members.map(({ value }: { value: string }) => value);
}
