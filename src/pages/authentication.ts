import { keyLimits } from "../contract/keys/key.ts";
import { formatScopes, type Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { Convention } from "./convention.ts";
import { type Description, needsScope } from "./description.ts";
import { type Html, html } from "./html.ts";
import { problemLink } from "./operation.ts";
import { sampleKey, sampleOrigin } from "./samples.ts";
import { headerList } from "./schema.ts";
import { sessionPanel } from "./session.ts";

const { createKey, signIn, listUsers } = operations;

/** The section about API keys and sessions. */
export function authentication(description: Description): Convention {
  const { problems } = description.keyed;
  return {
    id: "authentication",
    title: "Authentication",
    text: html`<p>Send an API key with each request, as <code>Authorization: Bearer</code> or as <code>X-API-Key</code>. Never put a key in a
URL: logs and browser histories store URLs. A service that is reachable only from its own machine needs no key until the first
key exists.</p>
<p>Create the first key on the service's host with <code>roster keys create</code>, or, while no key is required, with
<a href="#${createKey.id}">POST ${createKey.path}</a>. Roster shows the key once. From then on, every caller needs a key. The
scopes of a key say what it may do. These operations require a scope:</p>
${scopeList(description.groups.flatMap((group) => group.operations))}
<p>Never put a key in a web page. The service's own pages exchange a key for a
<a href="#${signIn.id}">session</a>, valid for ${keyLimits.sessionHours} hours and only for these pages: a cookie that scripts
cannot read, and a token that the page sends as <code>X-Session-Token</code>. The forms on this page use the session. To create
keys, a session is not enough: send the key.</p>
<p>Any operation that requires a key can return ${problems.map(
      (type, index) => html`${index > 0 && ", "}${problemLink(type)}`,
    )}.</p>`,
    samples: [
      {
        label: "First key",
        language: "shell",
        text: "roster keys create --name my-program \\\n  --scope users:read,users:write",
      },
      {
        label: "curl",
        language: "shell",
        text: `curl ${sampleOrigin}${listUsers.path} \\\n  ${sampleKey.shell} -w '\\n'`,
      },
      {
        label: "TypeScript",
        language: "typescript",
        text: `import { createClient } from "roster-client";

// Reads the key from ROSTER_API_KEY.
const roster = createClient({
  baseUrl: "${sampleOrigin}",
});
const users = await roster.users.list().all();`,
      },
    ],
    below: sessionPanel(),
  };
}

/** The section about rate limits and quotas. */
export function rateLimits({ keyed }: Description): Convention {
  return {
    id: "limits",
    title: "Limits",
    text: html`<p>Each key has a rate limit, and may have a quota of requests per calendar month. Responses to a rate-limited caller
carry:</p>
${headerList(keyed.headers)}
<p>A request above the rate limit gets ${problemLink("rate-limited")}. A request above the quota gets
${problemLink("quota-exceeded")} until the month ends. <code>Retry-After</code> says how many seconds to wait.</p>`,
    samples: [
      {
        label: "The last request, and one too many",
        language: "http",
        text: `GET ${listUsers.path}
→ 200  RateLimit-Policy: "default";q=10;w=60
       RateLimit: "default";r=0;t=60

GET ${listUsers.path}
→ 429  /problems/rate-limited
       Retry-After: 6`,
      },
    ],
  };
}

/** The scopes, each with the operations that require them. */
function scopeList(described: readonly Operation[]): Html {
  const byScope = Map.groupBy(described.filter(needsScope), formatScopes);
  return html`<dl class="fields">${[...byScope].map(
    ([scope, requiring]) => html`
  <div>
    <dt><code>${scope}</code></dt>
    <dd>${requiring.map(({ id, summary }, index) => html`${index > 0 && ", "}<a href="#${id}">${summary}</a>`)}</dd>
  </div>`,
  )}
</dl>`;
}
