import { ConfigError, readFlags } from "../../config/config.ts";
import { reachableHost } from "../../config/reachable-host.ts";
import { settings } from "../../config/settings.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { fail } from "../fail.ts";
import { switchFlag } from "../flags/switch-flag.ts";

const WAIT_MS = 5000;

const flags = {
  port: settings.port,
  host: settings.host,
  tlsCert: settings.tlsCert,
  live: switchFlag("live", "Check only that the process responds, not its database."),
} as const;

export const health: Command = {
  flags,
  description: `Calls /readyz of the service on this machine, or /healthz with --live. Prints ok and exits with 0, or prints the reason and
exits with ${exitCodes.unreachable.code}. For health checks of containers, whose images have no curl. Needs no key. Run it with the environment of
the service.`,
  examples: ["roster health", "roster health --live --port 8080"],

  async run(args, { env, stdout }) {
    const { port, host, tlsCert, live } = readFlags(flags, args, env, "roster health --help");
    if (port === 0) throw new ConfigError("PORT is 0, any free port: set --port to the port of the service.");
    const scheme = tlsCert === "" ? "http" : "https";
    const path = live ? "/healthz" : "/readyz";
    const failure = await findFailure(`${scheme}://${reachableHost(host)}:${port}${path}`);
    if (failure !== undefined) fail(failure, exitCodes.unreachable.code);
    stdout.write("ok\n");
  },
};

/** Why the service is not healthy; undefined if it is. */
async function findFailure(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(WAIT_MS),
      redirect: "manual",
      // The certificate names the public host, and the request contains no secret.
      tls: { rejectUnauthorized: false },
    });
    const body = Object(await response.json());
    if (response.ok && body.status === "ok") return undefined;
    return `${url} responds with ${response.status}: ${body.detail ?? "this is not Roster."}`;
  } catch {
    return `${url} does not respond. Start the service, or set HOST and PORT to its address.`;
  }
}
