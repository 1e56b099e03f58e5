import { Keys } from "./keys.ts";
import { type ClientOptions, Session } from "./session.ts";
import type { OpenFields } from "./types.ts";
import { Users } from "./users.ts";

export interface Client<Own = OpenFields> {
  readonly users: Users<Own>;
  readonly keys: Keys;
}

/** A client of one Roster service. Say what your own fields are: `createClient<{ department: string }>()`. */
export function createClient<Own = OpenFields>(options: ClientOptions = {}): Client<Own> {
  const session = new Session(options);
  return { users: new Users<Own>(session), keys: new Keys(session) };
}

export { ApiError, NetworkError, RequestError, TimeoutError } from "./errors.ts";
export type { KeyList, Keys } from "./keys.ts";
export { type RequestJsonInit, requestJson } from "./request-json.ts";
export type { ClientOptions } from "./session.ts";
export type { Retry, TransportOptions } from "./transport.ts";
export type * from "./types.ts";
export type { ModifyOptions, UserExport, UserImport, UserList, Users } from "./users.ts";
