export const connect = {
  title: "Connect",
  lead: "Whatever you do here, your programs can do too. The service is at",
  copyAddress: "Copy",
  ways: {
    label: "Ways to call",
    curl: "curl",
    typescript: "TypeScript",
    cli: "Command line",
  },
  key: {
    title: "Give your program a key",
    text: "Each call shows one. Programs find it in ROSTER_API_KEY: this reads it without showing it, and without leaving it in the history of the shell.",
    make: "Make a key",
  },
  open: {
    title: "No key is asked for yet",
    text: "This service is open to its own machine as long as there is no key. Make one before others are to reach it.",
  },
  snippets: {
    key: "",
    list: "List users",
    create: "Create one",
    change: "Change a field",
    install: "Install the client library: the first line in Roster’s source, the second in your project",
    client: "Use it",
    address: "Say where the service is",
    users: "Work with users",
    files: "Move many at once",
  },
  unencrypted:
    "This page came without encryption. A key that goes the same way can be read by others on the network: put TLS in front.",
  browser: {
    title: "Not from a page in the browser",
    text: "Whoever opens a page can read the key in it. Let your own server hold the key and call Roster: the browser calls your server.",
  },
  addresses: {
    title: "Addresses",
    docs: "The reference: every operation, to try in the browser",
    openapi: "The description in OpenAPI 3.1, to generate clients from",
    healthz: "Whether the process is alive; asks for no key",
    readyz: "Whether it can serve, for load balancers; asks for no key",
    metrics: "Metrics for Prometheus",
    metricsKey: "Metrics for Prometheus; takes a key with users:read",
  },
};
