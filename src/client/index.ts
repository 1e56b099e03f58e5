import { Keys } from "./keys.ts";
import { type ClientOptions, ServiceTransport } from "./service-transport.ts";
import type { CustomFields } from "./types.ts";
import { Users } from "./users.ts";

export interface Client<Custom = CustomFields> {
  readonly users: Users<Custom>;
  readonly keys: Keys;
}

/** Creates a client of a Roster service. Declare your custom fields: `createClient<{ department: string }>()`. */
export function createClient<Custom = CustomFields>(options: ClientOptions = {}): Client<Custom> {
  const transport = new ServiceTransport(options);
  return { users: new Users<Custom>(transport), keys: new Keys(transport) };
}

export { ApiError, NetworkError, RequestError, TimeoutError } from "./errors.ts";
export type { KeyList, Keys } from "./keys.ts";
export { type RequestJsonInit, requestJson } from "./request-json.ts";
export type { ClientOptions } from "./service-transport.ts";
export type { Retry, TransportOptions } from "./transport.ts";
export type * from "./types.ts";
export type { ModifyOptions, UserBulk, UserExport, UserImport, UserList, Users } from "./users.ts";
