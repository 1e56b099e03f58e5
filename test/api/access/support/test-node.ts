import { type Settings, startServiceOn, type TestService } from "../../../support/service.ts";

/** Starts a node of the service, which logs every request. Several nodes can share a database. */
export function startNode(database: string, settings: Settings = {}): Promise<TestService> {
  return startServiceOn(database, {
    // Many nodes share one PostgreSQL server, and the tests send many requests.
    databasePool: 3,
    rateLimit: 0,
    // A busy machine must not make requests slow, which are logged as warnings.
    slowMs: 3_600_000,
    logLevel: "debug",
    ...settings,
  });
}
