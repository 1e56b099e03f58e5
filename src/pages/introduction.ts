import { filterLimits, listLimits } from "../contract/listing.ts";
import { apiInfo } from "../contract/openapi.ts";
import { problemExample } from "../contract/problems.ts";
import { idempotency } from "../contract/users/user.ts";
import { authentication, rateLimits } from "./authentication.ts";
import type { Convention } from "./convention.ts";
import type { Description } from "./description.ts";
import { type Html, html, inlineMarkdown } from "./html.ts";
import { problemLink } from "./operation.ts";
import { formatJson, sampleKey, sampleOrigin, samplePanel } from "./samples.ts";
import { headerList } from "./schema.ts";

/** The rules that hold for every operation. */
export function conventions(description: Description): Convention[] {
  const { everywhere } = description;
  return [
    authentication(description),
    {
      id: "errors",
      title: "Errors",
      text: html`<p>Every error response is a problem document (<a href="#schema-problem">Problem</a>), sent as
<code>application/problem+json</code>. Use <code>type</code> in programs, and show <code>detail</code> to people.
<code>type</code> is the path of <a href="/problems">a page on this service</a> that says when the problem occurs and what to do.</p>
<p>If several fields or parameters are invalid, <code>errors</code> lists all of them, each with a JSON Pointer to the field or the
name of the parameter. Any operation can return ${everywhere.problems.map(
        (type, index) => html`${index > 0 && ", "}${problemLink(type)}`,
      )}.</p>
<p>Every response, with or without an error, carries:</p>${headerList(everywhere.headers)}`,
      samples: [
        {
          label: "A problem",
          language: "json",
          text: formatJson(problemExample("email-taken", "/api/users")),
        },
      ],
    },
    {
      id: "versions",
      title: "Conditional changes",
      text: html`<p>Every user has a <code>version</code>. The <code>ETag</code> header is the version in quotes. Send it as
<code>If-Match</code> with PUT, PATCH or DELETE to apply the change only if the user has not changed since you read it. If it has,
the response is ${problemLink("version-mismatch")} and nothing changes. <code>If-Match: *</code> only requires that the user
exists.</p>
<p>With <code>If-None-Match</code>, a read of an unchanged user returns 304 without a body.</p>`,
      samples: [
        {
          label: "Read, then change",
          language: "http",
          text: 'GET /api/users/1\n→ 200  ETag: "1"\n\nPATCH /api/users/1  If-Match: "1"\n→ 200  ETag: "2"\n\nPATCH /api/users/1  If-Match: "1"\n→ 412  /problems/version-mismatch',
        },
      ],
    },
    {
      id: "idempotency",
      title: "Idempotent creates",
      text: html`<p>If a connection fails, you cannot know whether a create succeeded. Send POST with an <code>Idempotency-Key</code>,
for example a random UUID, and you can repeat the request safely: for ${idempotency.retentionHours} hours, a repeat returns the
outcome of the first request, with <code>Idempotency-Replayed: true</code>, and creates no second user. The same key with a
different body gets ${problemLink("idempotency-mismatch")}.</p>`,
      samples: [
        {
          label: "The same request twice",
          language: "http",
          text: `POST /api/users  Idempotency-Key: 5f1c8f0e\n→ 201  Location: ${sampleOrigin}/api/users/1\n\nPOST /api/users  Idempotency-Key: 5f1c8f0e\n→ 201  Location: ${sampleOrigin}/api/users/1\n       Idempotency-Replayed: true`,
        },
      ],
    },
    {
      id: "queries",
      title: "Queries",
      text: html`<p>A list can <a href="#listUsers">filter</a> by an expression in the language of SCIM, sort by any field, and return
only some fields. Paths such as <code>address.city</code> reach into custom fields. Text is compared ignoring case, numbers as
numbers, and dates in time order. A path that meets an array matches if any element does. The same parameters apply to
<a href="#exportUsers">exports</a> and, with <code>count=true</code>, to counts.</p>
<p>An invalid expression gets ${problemLink("invalid-query")}, with the <code>position</code> of the invalid character and what was
expected. An expression has at most ${filterLimits.characters} characters, ${filterLimits.comparisons} comparisons and
${filterLimits.levels} levels of parentheses.</p>`,
      samples: [
        {
          label: "Filter, sort, fields",
          language: "shell",
          text: `curl -G ${sampleOrigin}/api/users \\
  ${sampleKey.shell} \\
  --data-urlencode 'filter=level ge 3 and not (plan pr)' \\
  -d sort=-level -d fields=id,name,address.city -w '\\n'`,
        },
        {
          label: "Expressions",
          language: "http",
          text: 'department eq "sales"\nemail ew "@example.com"\nlevel ge 3 and level lt 5\nplan pr or not (tags eq "vip")\ncreatedAt ge "2026-01-01"\naddress.city sw "Os"\nphones[type eq "work"].value sw "+47"',
        },
      ],
    },
    {
      id: "paging",
      title: "Paging",
      text: html`<p>A list returns a JSON array of up to <code>limit</code> users, by default ${listLimits.pageSize.default}. If there
are more users, the <code>Link</code> header has the URL of the next page. Follow it unchanged, and stop when there is no
<code>next</code>. A page with fewer users than <code>limit</code>, even an empty one, is not the last while it has a
<code>next</code>.</p>`,
      samples: [
        {
          label: "Every user",
          language: "typescript",
          text: `${sampleKey.typescriptImport}

const start = "${sampleOrigin}/api/users";
const headers = { ${sampleKey.typescript} };
let next: string | undefined = start;
while (next) {
  const page = await fetch(new URL(next, start), { headers });
  for (const user of await page.json()) {
    console.log(user.name);
  }
  const link = page.headers.get("Link") ?? "";
  next = /<([^>]+)>; rel="next"/.exec(link)?.[1];
}`,
        },
      ],
    },
    rateLimits(description),
  ];
}

export function introduction(description: Description): Html {
  return html`
<section class="split lead" id="introduction" aria-labelledby="introduction-title">
  <div class="text">
    <h1 id="introduction-title">${apiInfo.title}</h1>
    <p class="summary">${apiInfo.summary}</p>
    <p>${inlineMarkdown(apiInfo.description)}</p>
    <p class="links"><a href="/openapi.json">OpenAPI document</a> <a href="/problems">All problems</a></p>
  </div>
  <div class="beside">${samplePanel("Start", [
    {
      label: "First request",
      language: "shell",
      text: `curl ${sampleOrigin}/api/users \\\n  ${sampleKey.shell} -w '\\n'`,
    },
  ])}</div>
</section>
${conventions(description).map(
  ({ id, title, text, samples, below }) => html`
<section class="split" id="${id}" aria-labelledby="${id}-title">
  <div class="text"><h2 id="${id}-title"><a href="#${id}">${title}</a></h2>${text}</div>
  <div class="beside">${samplePanel(title, samples)}${below}</div>
</section>`,
)}`;
}
