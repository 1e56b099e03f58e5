import { describe, expect, test } from "bun:test";
import type { Operation } from "../../src/contract/operation.ts";
import { listProblems, operations } from "../../src/contract/operations.ts";
import { isProblemType, type ProblemType, problems } from "../../src/contract/problems.ts";
import { html, inlineMarkdown, markdown } from "../../src/pages/html.ts";
import { renderProblem, renderProblemIndex } from "../../src/pages/problem.ts";

const types = Object.keys(problems).filter(isProblemType);
const hostile = `<script>alert("1")</script>' onload='x' & more`;

describe("the page of a problem", () => {
  test.each(types)("%s shows its status, its title, when it occurs and what to do", (type) => {
    const page = renderProblem(type);
    const { status, title, when, solution } = problems[type];
    for (const text of [status, title, when, solution, type]) expect(page).toContain(escaped(String(text)));
  });

  test.each(types)("%s links to every operation that returns it, and to no other", (type) => {
    const linked = [...renderProblem(type).matchAll(/href="\/docs#(\w+)"/g)].map((match) => match[1]);
    expect(linked.filter((id) => id !== "errors")).toEqual(operationsWith(type));
  });

  test("shows a valid JSON example of the problem", () => {
    const example =
      /<code data-language="json">([^<]+)<\/code>/.exec(renderProblem("email-taken"))?.[1] ?? "";
    const document = JSON.parse(example.replaceAll("&quot;", '"').replaceAll("&#39;", "'"));
    expect(document).toMatchObject({ type: "/problems/email-taken", status: 409, instance: "/api/users" });
  });

  test("the index links to every problem", () => {
    const page = renderProblemIndex();
    for (const type of types) expect(page).toContain(`href="/problems/${type}"`);
  });

  test("has no inline style, script or event handler", () => {
    for (const page of [...types.map(renderProblem), renderProblemIndex()]) {
      expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/i);
    }
  });
});

describe("the html template", () => {
  test("escapes text between tags and inside attributes", () => {
    expect(String(html`<p title="${hostile}">${hostile}</p>`)).toBe(
      `<p title="${escaped(hostile)}">${escaped(hostile)}</p>`,
    );
  });

  test("does not escape its own markup twice, alone or in an array", () => {
    const item = html`<li>${"a & b"}</li>`;
    expect(String(html`<ul>${[item, item]}</ul>`)).toBe("<ul><li>a &amp; b</li><li>a &amp; b</li></ul>");
  });

  test("escapes text in an array too", () => {
    expect(String(html`${["<b>", html`<i></i>`]}`)).toBe("&lt;b&gt;<i></i>");
  });

  test("writes nothing for undefined and false, but writes 0", () => {
    expect(String(html`[${undefined}${false}${0}]`)).toBe("[0]");
  });

  test("renders Markdown paragraphs, code and bold, with their text escaped", () => {
    expect(String(html`${markdown("Use `<a>`.\n\nIt is **safe & sound**.")}`)).toBe(
      "<p>Use <code>&lt;a&gt;</code>.</p><p>It is <strong>safe &amp; sound</strong>.</p>",
    );
  });

  test("leaves a Markdown mark without a partner unchanged", () => {
    expect(String(html`${inlineMarkdown("2 ** 3 and a ` tick")}`)).toBe("2 ** 3 and a ` tick");
  });
});

function operationsWith(type: ProblemType): string[] {
  const described = Object.values<Operation>(operations);
  const returning = described.filter((operation) => listProblems(operation).includes(type));
  return returning.length === described.length ? [] : returning.map(({ id }) => id);
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
