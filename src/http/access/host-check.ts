import { isLoopback } from "../../config/config.ts";

const HOST = /^(?:[a-z0-9._~-]{1,255}|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

/** Whether the text is a host name or address, with or without a port. */
export function isValidHost(host: string): boolean {
  return HOST.test(host) && URL.canParse(`http://${host}`);
}

/**
 * Checks the Host header. Rejecting names of other machines stops DNS rebinding: a web page can point its own domain at
 * 127.0.0.1, but the browser still sends that domain as Host.
 */
export class HostCheck {
  /** Names beside loopback that are local, in lower case, without a port. */
  readonly #names: ReadonlySet<string>;
  /** The last valid and the last local Host: most requests send the same one. */
  #lastValid: string | null = null;
  #lastLocal: string | undefined;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** Whether the Host is valid. Several Host headers are not. HTTP/1.0 requests may have none, or an empty one. */
  isValid(request: Request): boolean {
    const host = request.headers.get("host");
    if (host === this.#lastValid || !host) return true;
    if (!isValidHost(host)) return false;
    this.#lastValid = host;
    return true;
  }

  /** Whether the Host names this machine. */
  isLocal(request: Request): boolean {
    const host = request.headers.get("host");
    if (host === null) return false;
    if (host === this.#lastLocal) return true;
    const name = host.replace(/:\d+$/, "").toLowerCase();
    if (!isLoopback(name) && !this.#names.has(name)) return false;
    this.#lastLocal = host;
    return true;
  }
}
