import { groups as texts } from "../texts/groups.ts";
import { fieldLabel } from "../users/fields.ts";

/** The label of a field of groups. The schema describes users only. */
export const groupFieldLabel = (field: string) =>
  field === "memberCount" ? texts.columns.members : fieldLabel(field);
