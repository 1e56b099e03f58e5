import { isLoopback } from "../../config/config.ts";

/**
 * Recognizes requests whose Host header names this machine. This stops DNS rebinding: a web page can point its own
 * domain at 127.0.0.1, but the browser still sends that domain as Host.
 */
export class HostCheck {
  /** The last local Host: most requests send the same one. */
  #lastLocal: string | undefined;

  isLocal(request: Request): boolean {
    const host = request.headers.get("host");
    if (host === null) return false;
    if (host === this.#lastLocal) return true;
    if (!isLoopback(host.replace(/:\d+$/, ""))) return false;
    this.#lastLocal = host;
    return true;
  }
}
