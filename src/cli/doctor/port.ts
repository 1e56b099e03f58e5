import { createServer } from "node:net";
import type { Config } from "../../config/config.ts";
import { reachableHost } from "../../config/reachable-host.ts";
import { version } from "../../config/version.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const WAIT_MS = 2000;

/** Whether the port is free, or a Roster service already uses it. */
export async function checkPort({ host, port, tlsCert }: Config): Promise<Finding> {
  if (port === 0) return ok("port", "PORT=0 uses any free port.");
  const code = await tryListening(host.replace(/^\[|\]$/g, ""), port);
  if (code === undefined) return ok("port", `Port ${port} is free on ${host}.`);
  if (code === "EADDRINUSE") return await checkPortUser(host, port, tlsCert !== "");
  if (code === "EACCES") {
    return problem(
      "port",
      `This user cannot listen on port ${port}: choose a port of at least 1024 with PORT, and use a proxy.`,
    );
  }
  return problem("port", `${host} is not an address of this machine (${code}): choose another with HOST.`);
}

/** Undefined if listening works, else the error code of the system. */
function tryListening(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  return promise;
}

async function checkPortUser(host: string, port: number, tls: boolean): Promise<Finding> {
  const url = `${tls ? "https" : "http"}://${reachableHost(host)}:${port}`;
  if ((await fetchField(`${url}/healthz`, "status")) !== "ok") {
    return problem(
      "port",
      `Port ${port} is in use by another program: stop it, or choose another port with PORT or --port.`,
    );
  }
  const info = await fetchField(`${url}/openapi.json`, "info");
  const running = typeof info === "object" && info !== null && "version" in info ? info.version : undefined;
  if (running !== version) {
    return warning(
      "port",
      `${running === undefined ? "An unknown version" : `Roster ${running}`} is running at ${url}, and this is ${version}: restart the service to update it.`,
    );
  }
  if ((await fetchField(`${url}/readyz`, "status")) === "ok")
    return ok("port", `Roster ${version} is running at ${url}.`);
  return warning("port", `Roster ${version} is running at ${url}, but is not ready: see its log.`);
}

/** A field of the JSON response; undefined if there is none. */
async function fetchField(url: string, field: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(WAIT_MS),
      redirect: "manual",
      // The request contains no secret, and checkTls checks the certificate.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await response.json();
    return Reflect.get(Object(body), field);
  } catch {
    return undefined;
  }
}
