/** Addresses that a service can listen on but nobody can connect to, and the loopback addresses that reach them. */
const wildcards = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "[::1]"],
  ["[::]", "[::1]"],
]);

/** The host for a URL that reaches a service on this machine. `host` is the address that the service listens on. */
export function reachableHost(host: string): string {
  return wildcards.get(host) ?? (host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
}
