import { importing as texts } from "../texts/import.ts";
import { useFieldLabel } from "../users/field-info.ts";
import { coreTargets, type ImportKind } from "./import-kinds.ts";

/** The labels of the fields that columns become. The titles of the schema are those of fields of users. */
export function useColumnLabel(kind: ImportKind): (field: string) => string {
  const userLabel = useFieldLabel();
  if (kind === "users") return userLabel;
  return (field) => {
    const core = coreTargets.find((name) => name === field);
    return core ? texts.columns.targets[core] : field;
  };
}
