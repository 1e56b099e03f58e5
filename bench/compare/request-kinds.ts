/** The users of a database before the measurement. */
export const SEEDED_USERS = 20_000;
/** The first users of the database are deleted before the measurement. */
export const DELETED_USERS = 20;
export const WEBHOOKS = 5;

/** The highest ratio allowed: reads of one user and lists of users, and everything else. */
const READ_TARGET = 1.02;
const TARGET = 1.03;

/** One request without its headers. A body is JSON if it has no other type. */
export interface RequestParts {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

export interface RequestKind {
  readonly name: string;
  readonly target: number;
  /** How many times as many batches as most kinds it gets: a lower target needs more. */
  readonly share: number;
  /** The most requests that a database can take. */
  readonly most: number;
  /** The request of this number, counted from 0 for each database: both trees get the same requests. */
  readonly request: (number: number) => RequestParts;
}

/** Users that are read and changed. None of them is deleted. */
const CHANGED = { first: 101, count: 4000 };
const DELETABLE = SEEDED_USERS - CHANGED.first - CHANGED.count;
const changedId = (number: number) => CHANGED.first + (number % CHANGED.count);
const changedIds = [0, 1, 2].map(changedId);
/** In turn: each batch has as many requests for common as for rare ones. */
const departments = [
  "Engineering",
  "Sales",
  "Operations",
  "Support",
  "Graduates",
  "Marketing",
  "Finance",
  "People",
];
const level = (number: number) => encodeURIComponent(`level eq ${1 + (number % 8)}`);
/** Another page each time: the service keeps the pages that callers repeat. */
const page = (number: number) => `after=${changedId(number)}.0.id`;
const get = (path: string) => () => ({ path });
const send = (method: "POST" | "PUT" | "PATCH", path: string, value: object) => ({
  method,
  path,
  body: JSON.stringify(value),
});

const usersReads: Readonly<Record<string, RequestKind["request"]>> = {
  one: (number) => ({ path: `/api/users/${changedId(number)}` }),
  list20: get("/api/users?limit=20"),
  "list20-page": (number) => ({ path: `/api/users?limit=20&${page(number)}` }),
  "list20-filter": (number) => ({
    path: `/api/users?limit=20&department=${departments[number % departments.length]}&${page(number)}`,
  }),
  "list20-expression": (number) => ({ path: `/api/users?limit=20&filter=${level(number)}&${page(number)}` }),
  "list20-search": (number) => ({ path: `/api/users?limit=20&q=ada&${page(number)}` }),
};

const others: Readonly<Record<string, RequestKind["request"]>> = {
  events20: get("/api/events?limit=20"),
  "user-events": (number) => ({ path: `/api/users/${changedId(number)}/events` }),
  deleted: get("/api/deleted-users?limit=10"),
  "deleted-one": (number) => ({ path: `/api/deleted-users/${1 + (number % DELETED_USERS)}` }),
  webhooks: get("/api/webhooks"),
  deliveries: get("/api/webhooks/1/deliveries"),
  schema: get("/api/schema"),
  fields: get("/api/fields"),
  values: get("/api/fields/department/values?prefix=S"),
  stats: get("/api/stats?days=7"),
  session: get("/api/session"),
  export: get("/api/users/export"),
  create: (number) =>
    send("POST", "/api/users", { name: `New ${number}`, email: `new.${number}@example.com` }),
  patch: (number) => send("PATCH", `/api/users/${changedId(number)}`, { level: number }),
  put: (number) => send("PUT", `/api/users/${changedId(number)}`, { name: `Put ${number}` }),
  delete: (number) => ({ method: "DELETE", path: `/api/users/${SEEDED_USERS - number}` }),
  import100: (number) => ({
    method: "POST",
    path: "/api/users/import",
    type: "application/x-ndjson",
    body: Array.from({ length: 100 }, (_, line) => `{"name":"Imported ${number} ${line}"}\n`).join(""),
  }),
  "bulk-dry": () => send("POST", "/api/users/bulk?dryRun=true", { ids: changedIds, delete: true }),
  bulk: (number) => send("POST", "/api/users/bulk", { ids: changedIds, patch: { level: number } }),
};

const toKinds = (requests: typeof others, target: number, share: number): RequestKind[] =>
  Object.entries(requests).map(([name, request]) => ({
    ...{ name, target, share, request },
    most: name === "delete" ? DELETABLE : Number.POSITIVE_INFINITY,
  }));

export const requestKinds: readonly RequestKind[] = [
  ...toKinds(usersReads, READ_TARGET, 3),
  ...toKinds(others, TARGET, 1),
];

/** A request as it is sent. */
export function formatRequest(
  { method = "GET", path, type = "application/json", body }: RequestParts,
  host: string,
) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  return `${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
