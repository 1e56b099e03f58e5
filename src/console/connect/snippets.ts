import type { CurrentSession } from "../lib/session.ts";
import type { Language } from "./highlight.tsx";

/** What the snippets depend on. */
interface Service {
  readonly origin: string;
  readonly requiresKey: boolean;
  /** The page came over plain HTTP. The client and the CLI then need an option to send a key. */
  readonly unencrypted: boolean;
}

export interface Snippet {
  /** Key of its title in texts/connect.ts. */
  readonly name: SnippetName;
  readonly code: string;
  /** Default: shell. */
  readonly language?: Language;
}

type SnippetName =
  | "key"
  | "list"
  | "create"
  | "change"
  | "install"
  | "client"
  | "signIn"
  | "users"
  | "files"
  | "scim"
  | "createKey";

type Tool = "curl" | "typescript" | "cli";
export const tools: readonly Tool[] = ["curl", "typescript", "cli"];

/** Keeps the key off the screen and out of the shell history. */
export const readKey: Snippet = { name: "key", code: "read -rs ROSTER_API_KEY && export ROSTER_API_KEY" };

/** The service of this page. `auth` is undefined while the session is loading. */
export function describeService(auth: CurrentSession["auth"] | undefined): Service {
  return {
    origin: location.origin,
    requiresKey: auth === "session" || auth === "key",
    unencrypted: !isSecureContext,
  };
}

/** A command that creates a user. */
export function buildCreateCommand(service: Service): string {
  return callWithCurl(
    service,
    "/api/users",
    "-H 'Content-Type: application/json'",
    `-d '{"name": "Ada Lovelace", "email": "ada@example.com", "department": "engines"}'`,
  );
}

/** A command that asks SCIM for a user that does not exist, as providers do to test a connection. */
export function buildScimSnippet(service: Service, baseUrl: string): Snippet {
  const filter = `-G --data-urlencode 'filter=userName eq "nobody"'`;
  return { name: "scim", code: callWithCurl({ ...service, origin: baseUrl }, "/Users", filter) };
}

export function buildSnippets(tool: Tool, service: Service): readonly Snippet[] {
  switch (tool) {
    case "curl":
      return curl(service);
    case "typescript":
      return typescript(service);
    case "cli":
      return cli(service);
  }
}

function callWithCurl({ origin, requiresKey }: Service, address: string, ...more: string[]): string {
  const key = requiresKey ? ['-H "Authorization: Bearer $ROSTER_API_KEY"'] : [];
  return [`curl ${shellQuote(origin + address)}`, ...key, ...more, "-w '\\n'"].join(" \\\n  ");
}

function curl(service: Service): Snippet[] {
  return [
    { name: "list", code: callWithCurl(service, "/api/users?sort=-createdAt&limit=20") },
    { name: "create", code: buildCreateCommand(service) },
    {
      name: "change",
      code: callWithCurl(
        service,
        "/api/users/1",
        "-X PATCH",
        "-H 'Content-Type: application/merge-patch+json'",
        `-d '{"department": "research"}'`,
      ),
    },
  ];
}

function typescript({ origin, requiresKey, unencrypted }: Service): Snippet[] {
  const insecure = requiresKey && unencrypted ? ", allowInsecure: true" : "";
  return [
    // Install from a file: the package is not in the npm registry, and someone else could publish its name there.
    {
      name: "install",
      code: "npm run build:client && npm pack ./dist/client\nnpm install ./roster-client-*.tgz",
    },
    {
      name: "client",
      language: "typescript",
      code: `import { createClient } from "roster-client";

const roster = createClient({ baseUrl: ${JSON.stringify(origin)}${insecure} });

const grace = await roster.users.create({ name: "Grace Hopper", email: "grace@example.com" });
await roster.users.update(grace.id, { department: "compilers" }, { ifUnchanged: grace });

for await (const user of roster.users.list({ q: "hopper", sort: "name" })) {
  console.log(user.id, user.name, user.department);
}
`.trimEnd(),
    },
  ];
}

function cli({ origin, requiresKey, unencrypted }: Service): Snippet[] {
  const insecure = requiresKey && unencrypted ? " --insecure" : "";
  return [
    { name: "signIn", code: `roster login --url ${shellQuote(origin)}${insecure}` },
    {
      name: "users",
      code: `roster users create name="Alan Turing" email=alan@example.com
roster users list --q turing`,
    },
    {
      name: "files",
      code: `roster users export users.csv
roster users import people.csv`,
    },
  ];
}

/** Quotes only text that a shell would interpret. Plain URLs stay readable. */
function shellQuote(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "%27")}'`;
}
