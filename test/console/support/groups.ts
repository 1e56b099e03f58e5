import type { TestService } from "../../support/service.ts";

type Service = Pick<TestService, "roster">;

export async function deleteAllGroups({ roster }: Service): Promise<void> {
  for (const { id } of await roster.groups.list().all()) await roster.groups.delete(id);
}

/** The ids of the members of a group. */
export async function memberIds({ roster }: Service, group: number): Promise<number[]> {
  return (await roster.groups.members(group).all()).map(({ id }) => id);
}
