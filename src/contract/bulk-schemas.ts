import Type, { type Static } from "typebox";
import { ProblemDocument } from "./problem-schemas.ts";
import { Id } from "./user-schemas.ts";

/** What became of one line of an import. */
export const ImportLineResult = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: "Where it stood in the body, counted from 1." }),
    status: Type.Integer({ minimum: 201, maximum: 599, description: "201, or that of the problem." }),
    id: Type.Optional(Id),
    problem: Type.Optional(ProblemDocument),
  },
  { description: "What became of one line." },
);
export type ImportLineResult = Static<typeof ImportLineResult>;
