import type { Program } from "../trial/program.ts";

/** Records exports of one system. */
export interface Recorder {
  /** Programs in PATH that it runs, and where they come from. */
  readonly needs: Readonly<Record<string, string>>;
  /** Fills a server with users, and returns the exports by the names of their files. */
  readonly record: (server: Program) => Promise<Record<string, string>>;
}

/** The password of every user. Its hashes are in the exports. */
export const PASSWORD = "hunter2-hunter2";
/** The number of a time in seconds, as the value of a custom field that is not a time. */
export const EPOCH = 1_700_000_000;

/** The path of a program, also of those that only root usually runs. */
export function findProgram(name: string): string | null {
  return Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/lib/openldap` });
}

/** Runs a program to its end, and returns what it prints. Throws if it fails. */
export async function run(
  command: readonly string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const [name = "", ...args] = command;
  const child = Bun.spawn([findProgram(name) ?? name, ...args], {
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, ...env },
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} fails.\n${output}${errors}`);
  return output;
}

/** Sends requests to one server. */
export function caller(origin: string, headers: Record<string, string> = {}) {
  /** Returns the text of the response. Throws if the status is not 2xx. */
  return async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
}

/** The text of a member of a JSON object. Throws if there is none. */
export function textIn(json: string, name: string): string {
  const value: unknown = Object(JSON.parse(json))[name];
  if (typeof value !== "string") throw new Error(`There is no ${name} in ${json}`);
  return value;
}
