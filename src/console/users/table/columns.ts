import { createColumnHelper, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import type { User } from "../../../client/index.ts";
import { getFieldValue } from "../fields.ts";

export const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

export function buildColumns(fields: readonly string[]) {
  return helper.columns(
    fields.map((field) => helper.accessor((user) => getFieldValue(user, field), { id: field })),
  );
}
