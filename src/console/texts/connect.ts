export const connect = {
  title: "Connect",
  lead: "Your programs can do everything that this console does. Call the service at",
  copyAddress: "Copy",
  tools: {
    label: "Tools",
    curl: "curl",
    typescript: "TypeScript",
    cli: "Command line",
  },
  key: {
    title: "Give your program a key",
    text: "Every API request needs a key. Programs read it from ROSTER_API_KEY. This command asks for the key without showing it or saving it in your shell history.",
    create: "Create a key",
  },
  open: {
    title: "No key required yet",
    text: "Until the first key exists, this service accepts every request from its own machine. Create a key before others connect.",
  },
  snippets: {
    key: "",
    list: "List users",
    create: "Create a user",
    change: "Update a field",
    install: "Install the client library: run line 1 in Roster’s source, line 2 in your project",
    client: "Use the client library",
    signIn: "Sign in once: the command asks for a key, and stores it for the commands below",
    users: "Work with users",
    files: "Export and import files",
    scim: "Ask for a user that does not exist, as providers do to test a connection",
    createKey: "",
  },
  unencrypted:
    "This page is not encrypted. Others on the network can read keys that are sent to this address. Put TLS in front of it.",
  browser: {
    title: "Don't put a key in a web page",
    text: "Everyone who opens the page can read the key. Keep it on your own server: the browser calls your server, and your server calls Roster.",
  },
  addresses: {
    title: "Endpoints",
    docs: "API reference: try every operation in the browser",
    openapi: "OpenAPI 3.1 description, for generating clients",
    healthz: "Liveness check, without a key",
    readyz: "Readiness check for load balancers, without a key",
    metrics: "Prometheus metrics",
    metricsKey: "Prometheus metrics, with a key that has users:read",
  },
};
