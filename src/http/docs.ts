import { describeApi } from "../contract/openapi.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { isProblemType } from "../contract/problems.ts";
import { Refusal } from "../domain/refusal.ts";
import { pageAssets } from "../pages/assets.ts";
import { renderProblem, renderProblemIndex } from "../pages/problem.ts";
import { renderReference } from "../pages/reference.ts";
import { jsonAnswer, pageAnswer } from "./exchange.ts";
import type { Routes } from "./routes.ts";

const html = `${mediaTypes.html}; charset=utf-8`;

/** What explains the service: the description, the reference page, a page for every problem. */
export function serveDocs(routes: Routes, version: string): void {
  const description = once(() => describeApi(version));
  const descriptionText = once(() => JSON.stringify(description()));
  const reference = once(() => renderReference(description()));
  const assets = once(pageAssets);

  routes.serve(operations.openapi, (exchange) => jsonAnswer(exchange, 200, descriptionText()));
  routes.serve(operations.docs, (exchange) => pageAnswer(exchange, html, reference()));
  routes.serve(operations.problemIndex, (exchange) => pageAnswer(exchange, html, renderProblemIndex()));
  routes.serve(operations.problem, (exchange) => {
    const type = exchange.parameter;
    if (!isProblemType(type))
      throw new Refusal("not-found", "There is no such problem: /problems lists them all.");
    return pageAnswer(exchange, html, renderProblem(type));
  });

  routes.serveAsset("/docs/{file}", (exchange) => {
    const asset = assets().find(({ path }) => path === `/docs/${exchange.parameter}`);
    if (!asset) throw new Refusal("not-found");
    return pageAnswer(exchange, asset.type, asset.body);
  });
}

/** Made when it is first asked for, so that starting up costs nothing. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
