import Type, { type Static } from "typebox";
import { ProblemDocument } from "./problem-schemas.ts";
import { Id } from "./user-schemas.ts";

/** The result of one line of an import. */
export const ImportLineResult = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: "The line number in the request body, from 1." }),
    status: Type.Integer({
      minimum: 200,
      maximum: 599,
      description:
        "201: the user was created. 200: the user existed, and was updated, unchanged or skipped. Otherwise the status of the problem.",
    }),
    id: Type.Optional(Id),
    problem: Type.Optional(ProblemDocument),
  },
  { description: "The result of one line." },
);
export type ImportLineResult = Static<typeof ImportLineResult>;
