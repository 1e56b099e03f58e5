import type { Groups } from "../groups.ts";
import type { Client } from "../index.ts";
import type { CountedList } from "../list.ts";
import type { ItemPage } from "../resource.ts";
import type { Group, GroupPatch, Problem, User, UserPatch } from "../service-types.ts";
import type { GroupPage, Page } from "../types.ts";
import type { Users } from "../users.ts";
import { problemOf } from "./form-errors.ts";
import { type AdminListOptions, NumberedPages } from "./numbered-pages.ts";
import { remember } from "./remember.ts";

/** The frameworks take ids as numbers, and as text from URLs. */
export type Id = number | string;
export type ResourceName = "users" | "groups";
export type AdminRecord = User | Group;
export type RecordPatch = UserPatch & GroupPatch;
export type ManyChange = { readonly patch: RecordPatch } | { readonly delete: true };

/** A list of the service, and its pages by number. */
export class AdminList {
  readonly #open: (options: AdminListOptions) => CountedList<AdminRecord, Page | GroupPage>;
  readonly pages = new NumberedPages<AdminRecord>((options, counting) => this.page(options, counting));

  constructor(open: (options: AdminListOptions) => CountedList<AdminRecord, Page | GroupPage>) {
    this.#open = open;
  }

  async page(options: AdminListOptions, counting?: { count?: boolean }): Promise<ItemPage<AdminRecord>> {
    const page = await this.#open(options).page(counting);
    return { items: "users" in page ? page.users : page.groups, next: page.next, total: page.total };
  }

  all(options: AdminListOptions): Promise<AdminRecord[]> {
    return this.#open(options).all();
  }
}

/** How many records of several could not be changed, and the problem of the first. */
interface Failures {
  readonly failed: number;
  readonly problem: Problem | undefined;
}

/** What the frameworks call a resource. */
export interface AdminResource {
  readonly name: ResourceName;
  readonly records: Users | Groups;
  readonly list: AdminList;
  changeMany(ids: readonly Id[], change: ManyChange): Promise<Failures>;
}

/** The resources `users` and `groups` of the data providers. */
export class Resources {
  readonly #client: Pick<Client, "users" | "groups">;
  readonly #resources: Readonly<Record<ResourceName, AdminResource>>;
  readonly #groupsOfUsers = new Map<string, AdminList>();

  constructor(client: Pick<Client, "users" | "groups">) {
    const { users, groups } = client;
    this.#client = client;
    this.#resources = {
      users: {
        name: "users",
        records: users,
        list: new AdminList((options) => users.list(options)),
        changeMany: (ids, change) => changeUsers(users, ids, change),
      },
      groups: {
        name: "groups",
        records: groups,
        list: new AdminList((options) => groups.list(options)),
        changeMany: (ids, change) => changeGroups(groups, ids, change),
      },
    };
  }

  get(name: string): AdminResource {
    if (isResource(name)) return this.#resources[name];
    throw new RangeError(
      `The Roster data provider has the resources "users" and "groups", and not "${name}".`,
    );
  }

  /** The groups of a user. */
  groupsOf(user: Id): AdminList {
    const id = String(user);
    const list =
      this.#groupsOfUsers.get(id) ?? new AdminList((options) => this.#client.users.groups(id, options));
    remember(this.#groupsOfUsers, id, list);
    return list;
  }
}

export function isResource(name: string | undefined): name is ResourceName {
  return name === "users" || name === "groups";
}

/** One call changes all users. */
async function changeUsers(users: Users, ids: readonly Id[], change: ManyChange): Promise<Failures> {
  if (ids.length === 0) return { failed: 0, problem: undefined };
  const { failed, failures } = await users.bulk({ ids, ...change }).summary({ max: 1 });
  return { failed, problem: failures[0]?.problem };
}

/** The service changes groups one by one. */
async function changeGroups(groups: Groups, ids: readonly Id[], change: ManyChange): Promise<Failures> {
  const problems: Problem[] = [];
  for (const id of ids) {
    try {
      await ("patch" in change ? groups.update(id, change.patch) : groups.delete(id));
    } catch (error) {
      const problem = problemOf(error);
      if (!problem) throw error;
      problems.push(problem);
    }
  }
  return { failed: problems.length, problem: problems[0] };
}
