import { createServer } from "node:net";
import type { Config } from "../../config/config.ts";
import { version } from "../../config/version.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const WAIT_MS = 2000;
/** Addresses that stand for all of them. */
const anywhere = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"],
  ["[::]", "[::1]"],
]);

/** Whether the service could listen there, or does so already. */
export async function checkPort({ host, port, tlsCert }: Config): Promise<Finding> {
  if (port === 0) return ok("port", "PORT=0 takes a port that is free.");
  const code = await tryListening(host.replace(/^\[|\]$/g, ""), port);
  if (code === undefined) return ok("port", `Port ${port} is free on ${host}.`);
  if (code === "EADDRINUSE") return await checkOther(host, port, tlsCert !== "");
  if (code === "EACCES") {
    return problem(
      "port",
      `This user may not listen on port ${port}: choose one from 1024 on with PORT, and have a proxy in front.`,
    );
  }
  return problem("port", `${host} is not an address of this machine (${code}): choose another with HOST.`);
}

/** Undefined if that is possible; else the system's name for why it is not. */
function tryListening(host: string, port: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  return promise;
}

async function checkOther(host: string, port: number, tls: boolean): Promise<Finding> {
  const name = anywhere.get(host) ?? (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
  const url = `${tls ? "https" : "http"}://${name}:${port}`;
  const found = await ask(`${url}/healthz`, "status");
  if (found !== "ok") {
    return problem(
      "port",
      `Port ${port} is in use by another program: stop that one, or choose another port with PORT or --port.`,
    );
  }
  const info = await ask(`${url}/openapi.json`, "info");
  const running = typeof info === "object" && info !== null && "version" in info ? info.version : undefined;
  if (running !== version) {
    return warning(
      "port",
      `${running === undefined ? "Something" : `Roster ${running}`} answers at ${url}, and this is ${version}: restart it to have this one run.`,
    );
  }
  if ((await ask(`${url}/readyz`, "status")) === "ok")
    return ok("port", `Roster ${version} is running at ${url}.`);
  return warning("port", `Roster ${version} is running at ${url}, but is not ready: its log says why.`);
}

/** One field of the JSON that is answered there; undefined where there is none. */
async function ask(url: string, field: string): Promise<unknown> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(WAIT_MS),
      redirect: "manual",
      // Nothing is told to it: whether its certificate is to be trusted is looked at elsewhere.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await answer.json();
    return Reflect.get(Object(body), field);
  } catch {
    return undefined;
  }
}
