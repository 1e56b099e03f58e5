import type { UserInput } from "../../../client/index.ts";
import { SampleUsers } from "../../../sample-users/sample-users.ts";

const COUNT = 20;
/** Its first users have names in many scripts. */
const SEED = 3;

/**
 * Fictional users to try the console with. Mail to example.com reaches nobody. The field `sample` finds them again. Runs when the
 * console is bundled: the bundle has these users, not the names that all sample users are made of.
 */
export function createSampleUsers(): UserInput[] {
  const samples = new SampleUsers(SEED);
  const users: UserInput[] = [];
  for (let number = 1; users.length < COUNT; number++) {
    const { badge, phone, country, city, email, active, tags = [], ...rest } = samples.create(number);
    // Only users with every field.
    if (!(email && country && city && rest.department && rest.level && rest.joinedOn)) continue;
    const mailbox = email.slice(0, email.indexOf(`.${SEED}.${number}@`));
    users.push({
      ...rest,
      email: `${mailbox}@example.com`,
      active: active === true,
      tags,
      address: { city, country },
      sample: true,
    });
  }
  return users;
}
