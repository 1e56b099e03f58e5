import { apiTags } from "../contract/openapi.ts";
import type { HeaderDescription, Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { ProblemType } from "../contract/problems.ts";
import { type DescribedResponse, listResponses } from "../contract/responses.ts";

export type Headers = Readonly<Record<string, HeaderDescription>>;

export interface DescribedOperation extends Operation {
  /** Every response, problems included. */
  readonly allResponses: readonly DescribedResponse[];
}

/** Headers and problems that several operations share. The page lists them once. */
export interface CommonParts {
  readonly headers: Headers;
  readonly problems: readonly ProblemType[];
}

/** What the reference page shows, in the contract's order. */
export interface Description {
  readonly version: string;
  readonly groups: readonly {
    readonly name: string;
    readonly description: string;
    readonly operations: readonly DescribedOperation[];
  }[];
  /** Shared by all operations. */
  readonly everywhere: CommonParts;
  /** Shared by all operations that need a scope, without those in `everywhere`. */
  readonly keyed: CommonParts;
}

export function describeReference(version: string): Description {
  const describedOperations = Object.values<Operation>(operations).map((operation) => ({
    ...operation,
    allResponses: listResponses(operation),
  }));
  const everywhere = findCommon(describedOperations);
  return {
    version,
    groups: apiTags.map(({ name, description }) => ({
      name,
      description,
      operations: describedOperations.filter(({ tag }) => tag === name),
    })),
    everywhere,
    keyed: omitCommon(findCommon(describedOperations.filter(needsScope)), everywhere),
  };
}

export function needsScope({ access }: Operation): boolean {
  return access !== "public" && access !== "authenticated";
}

/** The headers and problems that are not in `common`. */
export function omitCommon({ headers, problems }: CommonParts, common: CommonParts): CommonParts {
  return {
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !Object.hasOwn(common.headers, name)),
    ),
    problems: problems.filter((type) => !common.problems.includes(type)),
  };
}

/** The headers that all responses share, and the problems that all operations share. */
function findCommon(described: readonly DescribedOperation[]): CommonParts {
  const responses = described.flatMap((operation) => operation.allResponses);
  const [first] = described;
  return {
    headers: Object.fromEntries(
      Object.entries(responses[0]?.headers ?? {}).filter(([name]) =>
        responses.every(({ headers }) => Object.hasOwn(headers, name)),
      ),
    ),
    problems: listProblems(first?.allResponses ?? []).filter((type) =>
      described.every((operation) => listProblems(operation.allResponses).includes(type)),
    ),
  };
}

export function listProblems(responses: readonly DescribedResponse[]): ProblemType[] {
  return responses.flatMap(({ problems }) => problems);
}
