import { type Client, createClient } from "../../client/index.ts";
import { ConfigError, type Values } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { settings } from "../../config/settings.ts";
import { switchFlag } from "./switch-flag.ts";

/** Flags of the commands that call a service. */
export const serviceFlags = {
  url: {
    flag: "url",
    env: "ROSTER_URL",
    default: "http://127.0.0.1:3000",
    takes: "the URL of a service without a username or password, such as `https://users.example`",
    about: "The URL of the service.",
    parse: parseUrl,
  },
  apiKey: {
    env: settings.apiKey.env,
    default: "",
    takes: "an API key, as `roster keys create` prints it",
    about: "The API key, if the service requires one. Not a flag: other users can see the command line.",
    parse: settings.apiKey.parse,
  },
  insecure: switchFlag(
    "insecure",
    "Send the key unencrypted (http:) to another machine, on a network that you trust.",
  ),
  timeout: {
    flag: "timeout",
    default: "30",
    takes: "a whole number from 1 to 86400",
    about: "Timeout of a call with its retries, in seconds.",
    parse: parseSeconds,
  },
} as const satisfies Record<string, Flag<unknown>>;

/** Creates a client. It reports no errors itself: the command does. Throws a `ConfigError`. */
export function openClient({ url, apiKey, insecure, timeout }: Values<typeof serviceFlags>): Client {
  try {
    return createClient({
      baseUrl: url,
      timeout: timeout * 1000,
      allowInsecure: insecure,
      onError: () => undefined,
      onRetry: () => undefined,
      ...(apiKey !== undefined && { apiKey }),
    });
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    // The client's option is a flag here.
    throw new ConfigError(`${message.replace("set allowInsecure", "add --insecure").replace(/\.?$/, ".")}`);
  }
}

function parseUrl(text: string): string {
  const { protocol, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password) throw new RangeError(text);
  return text;
}

function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 86_400) throw new RangeError(text);
  return seconds;
}
