import { listLimits } from "../contract/listing.ts";
import { apiInfo } from "../contract/openapi.ts";
import { problemExample } from "../contract/problems.ts";
import { idempotency } from "../contract/user-operations.ts";
import { authentication, rateLimits } from "./authentication.ts";
import type { Convention } from "./convention.ts";
import type { Description } from "./description.ts";
import { type Html, html, inlineMarkdown } from "./html.ts";
import { problemLink } from "./operation.ts";
import { pretty, sampleKey, sampleOrigin, samplePanel } from "./samples.ts";
import { headerList } from "./schema.ts";

/** What holds for every operation, so that no operation has to say it. */
export function conventions(description: Description): Convention[] {
  const { everywhere } = description;
  return [
    authentication(description),
    {
      id: "errors",
      title: "Errors",
      text: html`<p>Every failure has one shape: a problem document (<a href="#schema-problem">Problem</a>), sent as
<code>application/problem+json</code>. Decide by <code>type</code>; show <code>detail</code> to people. The address in
<code>type</code> is <a href="/problems">a page here</a> that says when the problem happens and how to cure it.</p>
<p>Where there can be several faults, <code>errors</code> lists all of them at once, each with a pointer to the field or the name
of the parameter. Any operation can answer ${everywhere.problems.map(
        (type, index) => html`${index > 0 && ", "}${problemLink(type)}`,
      )}.</p>
<p>Every answer, good or bad, carries:</p>${headerList(everywhere.headers)}`,
      samples: [
        { label: "A problem", language: "json", text: pretty(problemExample("email-taken", "/api/users")) },
      ],
    },
    {
      id: "versions",
      title: "Changing what you have seen",
      text: html`<p>A user has a <code>version</code>, which is also its <code>ETag</code>, in quotes. Send that back as
<code>If-Match</code> with PUT, PATCH or DELETE, and the change happens only if nobody was quicker; otherwise the answer is
${problemLink("version-mismatch")} and nothing has changed. <code>If-Match: *</code> asks only that the user exists.</p>
<p>With <code>If-None-Match</code> a read of something unchanged costs a 304 and no body.</p>`,
      samples: [
        {
          label: "Read, then change",
          language: "http",
          text: 'GET /api/users/1\n→ 200  ETag: "1"\n\nPATCH /api/users/1  If-Match: "1"\n→ 200  ETag: "2"\n\nPATCH /api/users/1  If-Match: "1"\n→ 412  /problems/version-mismatch',
        },
      ],
    },
    {
      id: "once",
      title: "Doing it once",
      text: html`<p>A create that went unanswered may have happened. Send POST with an <code>Idempotency-Key</code>, a random UUID
for example, and repeat it freely: for ${idempotency.retentionHours} hours a repeat gets the first one's outcome, marked
<code>Idempotency-Replayed: true</code>, and makes no second user. The same key with another body is refused as
${problemLink("idempotency-mismatch")}.</p>`,
      samples: [
        {
          label: "The same request twice",
          language: "http",
          text: "POST /api/users  Idempotency-Key: 5f1c8f0e\n→ 201  Location: /api/users/1\n\nPOST /api/users  Idempotency-Key: 5f1c8f0e\n→ 201  Location: /api/users/1\n       Idempotency-Replayed: true",
        },
      ],
    },
    {
      id: "paging",
      title: "Paging",
      text: html`<p>A list answers a bare array of up to <code>limit</code> users, ${listLimits.pageSize.default} unless you ask for
another number. While there is more, the <code>Link</code> header has the address of the next page: follow it as it stands, and
stop when there is no <code>next</code>. A short page, even an empty one, is not the last as long as it has a
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
    <p class="links"><a href="/openapi.json">OpenAPI document</a> <a href="/problems">Every problem</a></p>
  </div>
  <div class="beside">${samplePanel("Start", [
    {
      label: "Start here",
      language: "shell",
      text: `curl ${sampleOrigin}/api/users \\\n  ${sampleKey.shell}`,
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
