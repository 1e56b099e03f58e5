import Type, { type Static } from "typebox";
import type { ManagedFieldOf } from "../record-fields.ts";
import {
  ignored,
  ignoredRecordFields,
  inputFields,
  inputName,
  inputScim,
  listedDescription,
  RECORD_PATCH,
  storedFields,
  storedName,
  storedScim,
  versionFields,
  WHOLE_RECORD,
} from "../record-schemas.ts";
import { Id, Integer } from "../scalars.ts";
import { forbiddenFields } from "../users/field-name.ts";
import { groupLimits } from "./group.ts";
import { type groupFields, reservedGroupFields } from "./group-fields.ts";

/** A group in a response. Custom fields stand beside these. */
export const Group = Type.Object(
  {
    id: Id,
    name: storedName(groupLimits.nameCharacters),
    scim: storedScim,
    memberCount: Integer({ minimum: 0, description: "How many members the group has." }),
    ...versionFields("group"),
  },
  { ...storedFields, description: "A group with its custom fields." },
);
export type Group = Static<typeof Group>;

const { id, version, ...otherFields } = Group.properties;

/** A group in a list: without `fields`, a whole `Group`. */
export const ListedGroup = Type.Object(
  { id, ...Type.Partial(Type.Object(otherFields)).properties, version },
  { ...storedFields, description: listedDescription("group") },
);

const name = inputName(groupLimits.nameCharacters);
const ignoredFields = {
  ...ignoredRecordFields,
  memberCount: ignored,
} satisfies Record<ManagedFieldOf<typeof groupFields>, unknown>;
const customFields = inputFields([...forbiddenFields, ...reservedGroupFields]);

/** The body of POST and PUT. */
export const GroupInput = Type.Object(
  { name, scim: inputScim, ...ignoredFields },
  { ...customFields, description: WHOLE_RECORD },
);

/** The body of PATCH: a JSON Merge Patch (RFC 7396). */
export const GroupPatch = Type.Object(
  { name: Type.Optional(name), scim: inputScim, ...ignoredFields },
  { ...customFields, description: RECORD_PATCH },
);
