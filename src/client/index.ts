import type { CustomFields } from "./custom-fields.ts";
import { DeletedUsers } from "./deleted-users.ts";
import { Events } from "./events/events.ts";
import { Fields } from "./fields.ts";
import { Groups } from "./groups.ts";
import { Keys } from "./keys.ts";
import { Memberships } from "./memberships.ts";
import { readDays } from "./read-days.ts";
import { Resource } from "./resource.ts";
import { Schema } from "./schema.ts";
import type { Stats } from "./service-types.ts";
import type { RequestJsonInit } from "./transport/request-json.ts";
import { type ClientOptions, ServiceTransport } from "./transport/service-transport.ts";
import type { DaysOptions } from "./types.ts";
import { Users } from "./users.ts";
import { Webhooks } from "./webhooks.ts";

export interface Client<Custom = CustomFields> {
  readonly users: Users<Custom>;
  readonly deletedUsers: DeletedUsers<Custom>;
  readonly groups: Groups<Custom>;
  readonly memberships: Memberships;
  readonly fields: Fields;
  readonly schema: Schema;
  readonly events: Events<Custom>;
  readonly webhooks: Webhooks;
  readonly keys: Keys;
  /** How many users were created, deleted and restored on each of the last days, and how many there were. */
  stats(options?: DaysOptions): Promise<Stats>;
}

/** Creates a client of a Roster service. Declare your custom fields: `createClient<{ department: string }>()`. */
export function createClient<Custom = CustomFields>(options: ClientOptions = {}): Client<Custom> {
  const transport = new ServiceTransport(options);
  return {
    users: new Users<Custom>(transport),
    deletedUsers: new DeletedUsers<Custom>(transport),
    groups: new Groups<Custom>(transport),
    memberships: new Memberships(transport),
    fields: new Fields(transport),
    schema: new Schema(transport),
    events: new Events<Custom>(transport),
    webhooks: new Webhooks(transport),
    keys: new Keys(transport),
    stats: (options) => readDays(new Resource<Stats>(transport, "stats", {}), [], options),
  };
}

/**
 * Calls any JSON API with the same timeouts, retries and errors: throws an `ApiError`, a `NetworkError` or a
 * `TimeoutError`, and retries idempotent methods. Check the result before you use it.
 */
export async function requestJson(url: string | URL, init?: RequestJsonInit): Promise<unknown> {
  return (await import("./transport/request-json.ts")).requestJson(url, init);
}

export type * from "./bulk-types.ts";
export type * from "./custom-fields.ts";
export type { DeletedUserList, DeletedUsers } from "./deleted-users.ts";
export { ApiError, NetworkError, RequestError, TimeoutError } from "./errors.ts";
export type * from "./events/event-types.ts";
export type { EventList, Events } from "./events/events.ts";
export type { Fields } from "./fields.ts";
export type { GroupExport, GroupImport, GroupList, Groups, MemberList } from "./groups.ts";
export type { KeyList, Keys } from "./keys.ts";
export type { MembershipExport, MembershipImport, Memberships } from "./memberships.ts";
export type { ModifyOptions } from "./records.ts";
export type { Schema } from "./schema.ts";
export type * from "./schema-types.ts";
export type * from "./service-types.ts";
export type { RequestJsonInit } from "./transport/request-json.ts";
export type { ClientOptions } from "./transport/service-transport.ts";
export type { Retry, TransportOptions } from "./transport/transport.ts";
export type * from "./types.ts";
export type { UserBulk, UserExport, UserGroupList, UserImport, UserList, Users } from "./users.ts";
export type * from "./webhook-types.ts";
export type { DeliveryList, WebhookList, Webhooks } from "./webhooks.ts";
