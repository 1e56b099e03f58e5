import Type from "typebox";
import type { HeaderDescription } from "./operation.ts";

/** Response headers of several operations. */
export const vary: HeaderDescription = {
  description: "The request headers that the response depends on.",
  schema: Type.String(),
};
