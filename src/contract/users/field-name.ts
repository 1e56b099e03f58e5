export const FIELD_NAME_PATTERN = "^[A-Za-z][A-Za-z0-9_]{0,63}$";
const fieldName = new RegExp(FIELD_NAME_PATTERN);

/** Roster stores no credentials: these field names are rejected, in any case, with or without `_` and `-`. */
export const credentialFields = [
  "password",
  "passwd",
  "passwordHash",
  "pwd",
  "secret",
  "clientSecret",
  "token",
  "accessToken",
  "refreshToken",
  "apiKey",
  "privateKey",
  "pin",
  "otp",
] as const;
const plainCredentials = new Set(credentialFields.map(removeNotation));

/** Names that can change an object's prototype in some programs: rejected at any depth. */
export const prototypeNames = ["__proto__", "constructor", "prototype"] as const;
const reservedNames = new Set<string>(prototypeNames);

/** Users have groups, but not as a field. */
const GROUPS = "groups";
/** The names that users cannot have as fields, besides those of credentials. */
export const forbiddenFields = [...prototypeNames, GROUPS] as const;

/** Whether the name has the form of a field's name. Callers may still not use it: see `findNameError`. */
export function isFieldName(name: string): boolean {
  return fieldName.test(name);
}

/** Whether it is one of `prototypeNames`. */
export function isReservedName(name: string): boolean {
  return reservedNames.has(name);
}

/** Whether the field is one of `credentialFields`, in any notation: `Password` and `api_key` too. */
export function isCredentialField(field: string): boolean {
  return plainCredentials.has(removeNotation(field));
}

function removeNotation(field: string): string {
  return field.toLowerCase().replace(/[_-]/g, "");
}

export type FieldNameError = "credential" | "reserved" | "groups" | "misnamed";

/** Why users cannot have a field with this name. */
export function findNameError(name: string): FieldNameError | undefined {
  if (isCredentialField(name)) return "credential";
  if (isReservedName(name)) return "reserved";
  if (name === GROUPS) return "groups";
  return isFieldName(name) ? undefined : "misnamed";
}

/** The same rule as `isCredentialField`, for the schemas. */
export const CREDENTIAL_PATTERN = `^(${credentialFields.map(anyNotation).join("|")})[_-]*$`;

function anyNotation(field: string): string {
  return [...field].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`).join("[_-]*");
}
