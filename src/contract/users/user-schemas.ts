import Type, { type Static } from "typebox";
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
import { Id, Timestamp } from "../scalars.ts";
import { forbiddenFields } from "./field-name.ts";
import { EMAIL_PATTERN, NAME_PATTERN, userLimits } from "./user.ts";
import type { ManagedField } from "./user-fields.ts";

const email = {
  maxLength: userLimits.emailCharacters,
  description: "Unique, ignoring case. Stored as sent. Absent if the user has no email.",
};
const userName = { minLength: 1, maxLength: userLimits.userNameCharacters, pattern: NAME_PATTERN };

/**
 * A user in a response. Custom fields stand beside these. Rules that came later apply to requests only: stored users can break
 * them.
 */
export const User = Type.Object(
  {
    id: Id,
    name: storedName(userLimits.nameCharacters),
    email: Type.Optional(Type.String(email)),
    userName: Type.Optional(
      Type.String({
        ...userName,
        description:
          "What the user signs in with, if it is not the email. Unique, ignoring case, also among the emails of users without one. Stored as sent.",
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: "Absent means true. It has no other effect: you decide what an inactive user may do.",
      }),
    ),
    scim: storedScim,
    ...versionFields("user"),
  },
  { ...storedFields, description: "A user with its custom fields." },
);
export type User = Static<typeof User>;

/** A user that was deleted and can be restored. */
export const DeletedUser = Type.Object(
  { ...User.properties, deletedAt: Timestamp("When the user was deleted.") },
  { ...storedFields, description: "A deleted user with its custom fields." },
);

const { id, version, ...otherFields } = User.properties;

/** A user in a list: without `fields`, a whole `User`. */
export const ListedUser = Type.Object(
  { id, ...Type.Partial(Type.Object(otherFields)).properties, version },
  { ...storedFields, description: listedDescription("user") },
);

const name = inputName(userLimits.nameCharacters);
const inputEmail = Type.Union([Type.String({ ...email, pattern: EMAIL_PATTERN }), Type.Null()], {
  description: "An email address that no other user has, or null for none.",
});
const inputUserName = Type.Union([Type.String(userName), Type.Null()], {
  description: `A name of 1 to ${userLimits.userNameCharacters} characters that no other user has, nor as email, and not of the form \`roster-42\`; or null for none: then the email is the user name.`,
});
const inputActive = Type.Union([Type.Boolean(), Type.Null()], {
  description: "True or false. Null is the same as absent, which means true.",
});
const ignoredFields = {
  ...ignoredRecordFields,
  deletedAt: ignored,
} satisfies Record<ManagedField, unknown>;
const customFields = inputFields(forbiddenFields);

/** The body of POST and PUT. */
export const UserInput = Type.Object(
  {
    name,
    email: Type.Optional(inputEmail),
    userName: Type.Optional(inputUserName),
    active: Type.Optional(inputActive),
    scim: inputScim,
    ...ignoredFields,
  },
  {
    ...customFields,
    description: WHOLE_RECORD,
  },
);

/** The body of PATCH: a JSON Merge Patch (RFC 7396). */
export const UserPatch = Type.Object(
  {
    name: Type.Optional(name),
    email: Type.Optional(inputEmail),
    userName: Type.Optional(inputUserName),
    active: Type.Optional(inputActive),
    scim: inputScim,
    ...ignoredFields,
  },
  {
    ...customFields,
    description: RECORD_PATCH,
  },
);

/** The body of a restore. */
export const RestoreInput = Type.Object(
  { email: Type.Optional(inputEmail), userName: Type.Optional(inputUserName) },
  {
    additionalProperties: false,
    description: "Another email or user name for the user, or null for none.",
  },
);
