import { createColumnHelper, rowSelectionFeature, tableFeatures } from "@tanstack/react-table";
import type { User } from "../../../client/index.ts";
import { fieldLabel, getFieldValue } from "../fields.ts";
import { Cell } from "./cell.tsx";

export const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, User>();

export function buildColumns(fields: readonly string[]) {
  return helper.columns(
    fields.map((field) =>
      helper.accessor((user) => getFieldValue(user, field), {
        id: field,
        header: fieldLabel(field),
        cell: ({ row }) => <Cell field={field} user={row.original} />,
      }),
    ),
  );
}
