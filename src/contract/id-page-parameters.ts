import Type from "typebox";
import { listLimits } from "./listing.ts";
import type { Parameter } from "./operation.ts";
import { Integer } from "./scalars.ts";

/** The parameters of a list in the order of ids. */
export const idPageParameters: Parameter[] = [
  {
    in: "query",
    name: "limit",
    description: "The maximum number of items per page.",
    schema: Integer({
      minimum: 1,
      maximum: listLimits.pageSize.maximum,
      default: listLimits.pageSize.default,
    }),
    example: 20,
    component: "IdPageLimit",
  },
  {
    in: "query",
    name: "after",
    description: "The id after which the page begins, from the `next` URL.",
    schema: Type.String(),
    component: "AfterId",
  },
];
