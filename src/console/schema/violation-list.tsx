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
import { useUserName, useUserNames } from "../users/user-names.ts";

const pathOf = ({ id }: SchemaViolation) => `/users/${id}`;

const columns: readonly ListColumn<SchemaViolation>[] = [
  { title: texts.columns.user, width: "minmax(7rem, auto)", cell: ({ id }) => <UserName id={id} /> },
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
  /** Whether no other user violates the schema. */
  readonly isComplete: boolean;
}

/** Users with what is wrong with each. */
export function ViolationList({ violations, isComplete, ...states }: ViolationListProps) {
  const [, navigate] = useLocation();
  const nameOf = useUserNames(violations?.map(({ id }) => id) ?? []);
  return (
    <>
      {violations && <Problems violations={violations} isComplete={isComplete} />}
      <List
        {...states}
        label={texts.list}
        items={violations}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ id }) => nameOf(id) ?? texts.user(id)}
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
    </>
  );
}

function UserName({ id }: Pick<SchemaViolation, "id">) {
  const name = useUserName(id);
  return name === undefined ? texts.user(id) : <bdi>{name}</bdi>;
}

interface ProblemsProps {
  readonly violations: readonly SchemaViolation[];
  readonly isComplete: boolean;
}

/** How many of these users have each problem, the most frequent first. */
function Problems({ violations, isComplete }: ProblemsProps) {
  if (violations.length < 2) return null;
  return (
    <>
      {!isComplete && <p className="hint">{texts.first(violations.length)}</p>}
      <ul className="violation-problems" aria-label={texts.problems}>
        {countProblems(violations).map(({ field, detail, users }) => (
          <li key={`${field} ${detail}`}>
            <code>{field}</code> {detail} <span className="badge">{texts.users(users)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function countProblems(violations: readonly SchemaViolation[]) {
  const found = new Map<string, { readonly field: string; readonly detail: string; users: number }>();
  for (const { errors } of violations) {
    for (const error of errors) {
      const field = fieldOf(error);
      const key = JSON.stringify([field, error.detail]);
      const problem = found.get(key) ?? { field, detail: error.detail, users: 0 };
      problem.users++;
      found.set(key, problem);
    }
  }
  return [...found.values()].toSorted((a, b) => b.users - a.users);
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
