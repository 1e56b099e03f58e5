import { type ClientOptions, Session } from "./session.ts";
import type { OpenFields } from "./types.ts";
import { Users } from "./users.ts";

export interface Client<Own = OpenFields> {
  readonly users: Users<Own>;
}

/** A client of one Roster service. Say what your own fields are: `createClient<{ department: string }>()`. */
export function createClient<Own = OpenFields>(options: ClientOptions = {}): Client<Own> {
  return { users: new Users<Own>(new Session(options)) };
}

export { ApiError, NetworkError, RequestError, TimeoutError } from "./errors.ts";
export { type RequestJsonInit, requestJson } from "./request-json.ts";
export type { ClientOptions } from "./session.ts";
export type { Retry, TransportOptions } from "./transport.ts";
export type * from "./types.ts";
export type { UserList } from "./user-list.ts";
export type { ModifyOptions, Users } from "./users.ts";
