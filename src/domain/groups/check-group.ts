import { type GroupRecord, groupLimits } from "../../contract/groups/group.ts";
import { groupRecordFields, reservedGroupFields } from "../../contract/groups/group-fields.ts";
import { checkName, checkScim, RecordCheck } from "../records/check-record.ts";

const { nameCharacters } = groupLimits;

/** The checks of groups. They fail with `invalid-group`. */
export const groupCheck = new RecordCheck<GroupRecord>({
  invalid: "invalid-group",
  managed: groupRecordFields.managed,
  optional: ["scim"],
  forbidden: {
    ...Object.fromEntries(
      reservedGroupFields.map((name) => [name, `A group has no field ${name}. Choose another name.`]),
    ),
    groups: "Groups have no groups. Choose another name for this field.",
  },
  checkWhole(fields, errors) {
    const name = checkName(fields.name, nameCharacters, errors);
    checkScim(fields.scim, errors);
    return { name };
  },
  startOf: ({ name }) => ({ name }),
  checkPatch(patch, errors) {
    if (Object.hasOwn(patch, "name")) checkName(patch.name, nameCharacters, errors);
    checkScim(patch.scim, errors);
  },
});
