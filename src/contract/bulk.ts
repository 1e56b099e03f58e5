import Type, { type Static } from "typebox";
import { ProblemDocument } from "./problems.ts";
import { Id } from "./user.ts";

/** How many users travel together when there are many. */
export const bulkLimits = {
  /** Lines of an import that are committed together, unless they are large. */
  chunkLines: 500,
  chunkBytes: 1_048_576,
  /** Users that an export asks the store for at a time. */
  pageUsers: 1000,
  /** Imports and exports under way on a node; each needs some megabytes. */
  streams: 64,
} as const;

/** What became of one line of an import. */
export const ImportedLine = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: "Where it stood in the body, counted from 1." }),
    status: Type.Integer({ minimum: 201, maximum: 599, description: "201, or that of the problem." }),
    id: Type.Optional(Id),
    problem: Type.Optional(ProblemDocument),
  },
  { description: "What became of one line." },
);
export type ImportedLine = Static<typeof ImportedLine>;
