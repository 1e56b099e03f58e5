import { Keys } from "./keys.ts";
import { type ClientOptions, ServiceTransport } from "./service-transport.ts";
import type { CustomFields } from "./types.ts";
import { Users } from "./users.ts";

export interface Client<Own = CustomFields> {
  readonly users: Users<Own>;
  readonly keys: Keys;
}

/** A client of one Roster service. Say what your own fields are: `createClient<{ department: string }>()`. */
export function createClient<Own = CustomFields>(options: ClientOptions = {}): Client<Own> {
  const session = new ServiceTransport(options);
  return { users: new Users<Own>(session), keys: new Keys(session) };
}

export { ApiError, NetworkError, RequestError, TimeoutError } from "./errors.ts";
export type { KeyList, Keys } from "./keys.ts";
export { type RequestJsonInit, requestJson } from "./request-json.ts";
export type { ClientOptions } from "./service-transport.ts";
export type { Retry, TransportOptions } from "./transport.ts";
export type * from "./types.ts";
export type { ModifyOptions, UserExport, UserImport, UserList, Users } from "./users.ts";
