import { keyLimits } from "../contract/key.ts";
import type { Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { Convention } from "./convention.ts";
import { type Description, needsScope } from "./description.ts";
import { type Html, html } from "./html.ts";
import { problemLink } from "./operation.ts";
import { sampleKey, sampleOrigin } from "./samples.ts";
import { headerList } from "./schema.ts";
import { sessionPanel } from "./session.ts";

const { createKey, signIn, listUsers } = operations;

/** Who may call, and how one shows it. */
export function authentication(description: Description): Convention {
  const { problems } = description.keyed;
  return {
    id: "authentication",
    title: "Authentication",
    text: html`<p>Send a key with each request, as <code>Authorization: Bearer</code> or as <code>X-API-Key</code>; never in a URL,
which others keep. While the service listens on its own machine only and no key exists, it asks for none.</p>
<p>The first key is made where the service runs, with <code>roster keys create</code>, or with
<a href="#${createKey.id}">POST ${createKey.path}</a> while no key is asked for. It is shown once, and from then on callers need
one. What a key may do is in its scopes, and each operation says which it takes:</p>
${scopeList(description.groups.flatMap((group) => group.operations))}
<p>A key does not belong in a web page. The service's own pages trade one for a
<a href="#${signIn.id}">session</a>: a cookie that no script can read, good for ${keyLimits.sessionHours} hours and for these pages
alone. The forms here use it.</p>
<p>Any operation that takes a key can answer ${problems.map(
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
        text: `curl ${sampleOrigin}${listUsers.path} \\\n  ${sampleKey.shell}`,
      },
      {
        label: "TypeScript",
        language: "typescript",
        text: `import { createClient } from "roster-client";

// It takes the key from ROSTER_API_KEY.
const roster = createClient({
  baseUrl: "${sampleOrigin}",
});
const users = await roster.users.list().all();`,
      },
    ],
    below: sessionPanel(),
  };
}

/** How often one may call, and how one knows. */
export function rateLimits({ keyed }: Description): Convention {
  return {
    id: "limits",
    title: "Limits",
    text: html`<p>Each key has a rate, so many requests in so many seconds, and may have a quota of calls a calendar month. An answer
to a caller that is limited carries:</p>
${headerList(keyed.headers)}
<p>Beyond that the answer is ${problemLink("rate-limited")}, or ${problemLink("quota-exceeded")} until the month is over, and
<code>Retry-After</code> says how many seconds to wait.</p>`,
    samples: [
      {
        label: "One left, then none",
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

/** Each scope with the operations that take it. */
function scopeList(described: readonly Operation[]): Html {
  const byScope = Map.groupBy(described.filter(needsScope), ({ access }) => access);
  return html`<dl class="fields">${[...byScope].map(
    ([scope, taking]) => html`
  <div>
    <dt><code>${scope}</code></dt>
    <dd>${taking.map(({ id, summary }, index) => html`${index > 0 && ", "}<a href="#${id}">${summary}</a>`)}</dd>
  </div>`,
  )}
</dl>`;
}
