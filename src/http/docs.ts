import { describeApi } from "../contract/openapi.ts";
import { mediaTypes } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import { isProblemType } from "../contract/problems.ts";
import { ProblemError } from "../domain/problem-error.ts";
import { bundleAssets } from "../pages/assets.ts";
import { renderProblem, renderProblemIndex } from "../pages/problem.ts";
import { renderReference } from "../pages/reference.ts";
import { lazy } from "./lazy.ts";
import { pathParameter } from "./request-context.ts";
import { jsonResponse, pageResponse } from "./responses.ts";
import type { Router } from "./router.ts";

const html = `${mediaTypes.html}; charset=utf-8`;

/** Registers the OpenAPI description, the reference page and the pages of problems. */
export function serveDocs(router: Router, version: string): void {
  const descriptionText = lazy(() => JSON.stringify(describeApi(version)));
  const reference = lazy(() => renderReference(version));
  const assets = lazy(bundleAssets);

  router.serve(operations.openapi, (context) =>
    jsonResponse(context, 200, descriptionText(), { "cache-control": "no-cache" }),
  );
  router.serve(operations.docs, async (context) => pageResponse(context, html, await reference()));
  router.serve(operations.problemIndex, (context) => pageResponse(context, html, renderProblemIndex()));
  router.serve(operations.problem, (context) => {
    const type = pathParameter(context, "type");
    if (!isProblemType(type))
      throw new ProblemError("not-found", "There is no such problem type. /problems lists them all.");
    return pageResponse(context, html, renderProblem(type));
  });

  router.servePage("/docs/{file}", async (context) => {
    const asset = (await assets()).find(({ path }) => path === `/docs/${pathParameter(context, "file")}`);
    if (!asset) throw new ProblemError("not-found");
    return pageResponse(context, asset.type, asset.text);
  });
}
