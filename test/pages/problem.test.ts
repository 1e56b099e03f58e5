import { describe, expect, test } from "bun:test";
import type { Operation } from "../../src/contract/operation.ts";
import { listProblems, operations } from "../../src/contract/operations.ts";
import { isProblemType, type ProblemType, problems } from "../../src/contract/problems.ts";
import { html, inlineMarkdown, markdown } from "../../src/pages/html.ts";
import { renderProblem, renderProblemIndex } from "../../src/pages/problem.ts";

const types = Object.keys(problems).filter(isProblemType);
const hostile = `<script>alert("1")</script>' onload='x' & more`;

describe("the page of a problem", () => {
  test.each(types)("%s names its status, its title, when it happens and its cure", (type) => {
    const page = renderProblem(type);
    const { status, title, when, cure } = problems[type];
    for (const text of [status, title, when, cure, type]) expect(page).toContain(escaped(String(text)));
  });

  test.each(types)("%s links to every operation that gives it, and to no other", (type) => {
    const linked = [...renderProblem(type).matchAll(/href="\/docs#(\w+)"/g)].map((match) => match[1]);
    expect(linked.filter((id) => id !== "errors")).toEqual(givers(type));
  });

  test("an example document of the problem is on it, in JSON that can be read", () => {
    const example =
      /<code data-language="json">([^<]+)<\/code>/.exec(renderProblem("email-taken"))?.[1] ?? "";
    const document = JSON.parse(example.replaceAll("&quot;", '"').replaceAll("&#39;", "'"));
    expect(document).toMatchObject({ type: "/problems/email-taken", status: 409, instance: "/api/users" });
  });

  test("the index leads to every problem of the catalogue", () => {
    const page = renderProblemIndex();
    for (const type of types) expect(page).toContain(`href="/problems/${type}"`);
  });

  test("nothing on it is inline: no style, no script, no handler", () => {
    for (const page of [...types.map(renderProblem), renderProblemIndex()]) {
      expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/i);
    }
  });
});

describe("the html template", () => {
  test("hostile text is escaped between tags and inside attributes", () => {
    expect(String(html`<p title="${hostile}">${hostile}</p>`)).toBe(
      `<p title="${escaped(hostile)}">${escaped(hostile)}</p>`,
    );
  });

  test("markup that the template made is not escaped twice, alone or in a list", () => {
    const item = html`<li>${"a & b"}</li>`;
    expect(String(html`<ul>${[item, item]}</ul>`)).toBe("<ul><li>a &amp; b</li><li>a &amp; b</li></ul>");
  });

  test("text that only looks like markup is escaped in a list too", () => {
    expect(String(html`${["<b>", html`<i></i>`]}`)).toBe("&lt;b&gt;<i></i>");
  });

  test("nothing is written for what is absent, and zero is not absent", () => {
    expect(String(html`[${undefined}${false}${0}]`)).toBe("[0]");
  });

  test("Markdown gives paragraphs, code and bold, and escapes what is inside them", () => {
    expect(String(html`${markdown("Use `<a>`.\n\nIt is **safe & sound**.")}`)).toBe(
      "<p>Use <code>&lt;a&gt;</code>.</p><p>It is <strong>safe &amp; sound</strong>.</p>",
    );
  });

  test("a mark without its partner stays what it was", () => {
    expect(String(html`${inlineMarkdown("2 ** 3 and a ` tick")}`)).toBe("2 ** 3 and a ` tick");
  });
});

function givers(type: ProblemType): string[] {
  const all = Object.values<Operation>(operations);
  const giving = all.filter((operation) => listProblems(operation).includes(type));
  return giving.length === all.length ? [] : giving.map(({ id }) => id);
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
