import { type Client, createClient } from "../../client/index.ts";
import { ConfigError, type Values } from "../../config/config.ts";
import type { Flag } from "../../config/flag.ts";
import { settings } from "../../config/settings.ts";

/** How a command that calls a service is told of it. */
export const serviceFlags = {
  url: {
    flag: "url",
    env: "ROSTER_URL",
    default: "http://127.0.0.1:3000",
    takes: "the address of a service without a name or a password in it, such as `https://users.example`",
    about: "The service to call.",
    parse: parseUrl,
  },
  apiKey: {
    env: settings.apiKey.env,
    default: "",
    takes: settings.apiKey.takes,
    about: "The key to show, where the service wants one. Never a flag: the command line is for all to see.",
    parse: settings.apiKey.parse,
  },
  insecure: {
    flag: "insecure",
    form: "switch",
    default: "",
    takes: "no value",
    about: "Send the key over http: to another machine all the same, where the network is your own.",
    parse: (text) => text === "true",
  },
  timeout: {
    flag: "timeout",
    default: "30",
    takes: "a whole number from 1 to 86400",
    about: "Seconds that a call may take in all, with its retries.",
    parse: parseSeconds,
  },
} as const satisfies Record<string, Flag<unknown>>;

/** The service that the flags name; errors are told once, by whoever runs the command. Fails with a `ConfigError`. */
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
    // The library's option is a flag here.
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
