import { useLocation } from "wouter";
import type { SchemaViolation } from "../../client/index.ts";
import { rowMenu } from "../texts/index.ts";
import { violations as texts } from "../texts/schema.ts";
import { copyWithToast } from "../ui/copy-button.tsx";
import { Copy } from "../ui/icons.ts";
import { List, type ListStates } from "../ui/list.tsx";
import type { ListColumn } from "../ui/list-table.tsx";
import { MenuItem, MenuSeparator } from "../ui/menu.tsx";
import { OpenItems } from "../ui/open-items.tsx";

const pathOf = ({ id }: SchemaViolation) => `/users/${id}`;

const columns: readonly ListColumn<SchemaViolation>[] = [
  { title: texts.columns.user, width: "minmax(7rem, auto)", cell: ({ id }) => texts.user(id) },
  {
    title: texts.columns.field,
    width: "minmax(6rem, auto)",
    cell: ({ errors: [first, ...others] }) => (
      <>
        <code>{fieldOf(first)}</code>{" "}
        {others.length > 0 && <span className="badge">{texts.others(others.length)}</span>}
      </>
    ),
  },
  {
    title: texts.columns.error,
    width: "minmax(0, 1fr)",
    cell: ({ errors: [first] }) => <span title={first?.detail}>{first?.detail}</span>,
  },
];

interface ViolationListProps extends ListStates {
  /** Undefined until the first ones have arrived. */
  readonly violations: readonly SchemaViolation[] | undefined;
}

/** Users with what is wrong with each. */
export function ViolationList({ violations, ...states }: ViolationListProps) {
  const [, navigate] = useLocation();
  return (
    <List
      {...states}
      label={texts.list}
      items={violations}
      columns={columns}
      idOf={({ id }) => id}
      nameOf={({ id }) => texts.user(id)}
      hrefOf={pathOf}
      details={({ errors }) => <Errors errors={errors} />}
      menu={(violation) => (
        <>
          <OpenItems href={pathOf(violation)} onOpen={() => navigate(pathOf(violation))} />
          <MenuSeparator />
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyWithToast(String(violation.id))}>
            {rowMenu.copyId}
          </MenuItem>
        </>
      )}
    />
  );
}

function Errors({ errors }: Pick<SchemaViolation, "errors">) {
  return (
    <table className="values">
      <tbody>
        {errors.map((error) => (
          <tr key={`${error.pointer} ${error.detail}`}>
            <th scope="row">{fieldOf(error)}</th>
            <td>{error.detail}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function fieldOf(error: SchemaViolation["errors"][number] | undefined): string {
  return error?.pointer?.slice(1) ?? "";
}
