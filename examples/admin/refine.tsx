/** Users in refine, with plain HTML: list, search, filter, sort, create, edit and delete. */
import {
  type BaseRecord,
  type HttpError,
  Refine,
  useDelete,
  useDeleteMany,
  useForm,
  useTable,
  type useTableReturnType,
  useUpdateMany,
} from "@refinedev/core";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "roster-client";
import { createDataProvider, createLiveProvider } from "roster-client/refine";

const roster = createClient();
const dataProvider = createDataProvider(roster);
const liveProvider = createLiveProvider(roster);

interface User extends BaseRecord {
  readonly id: number;
  readonly name: string;
  readonly email?: string;
  readonly department?: string;
}

const fields = ["name", "email", "department"] as const;

/** The form of a new user, or of the user with this id. */
function UserForm({ id, onClose }: { readonly id?: number; readonly onClose: () => void }) {
  const { onFinish, query, mutation } = useForm<User, HttpError>({
    resource: "users",
    action: id === undefined ? "create" : "edit",
    ...(id !== undefined && { id }),
    redirect: false,
    onMutationSuccess: onClose,
  });
  const user = query?.data?.data;
  if (id !== undefined && !user) return <p>Loading…</p>;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget)];
    // Null removes a field.
    const values = Object.fromEntries(entries.map(([field, value]) => [field, value === "" ? null : value]));
    onFinish(values).catch(() => undefined);
  };
  const { error } = mutation;
  return (
    <form onSubmit={submit} aria-label={id === undefined ? "New user" : "Edit user"}>
      {fields.map((field) => (
        <p key={field}>
          <label>
            {field} <input name={field} defaultValue={user?.[field]} />
          </label>{" "}
          <strong>{error?.errors?.[field]?.toString()}</strong>
        </p>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <button type="submit">Save</button>{" "}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </form>
  );
}

function UserTable() {
  const table: useTableReturnType<User, HttpError> = useTable<User, HttpError>({
    resource: "users",
    pagination: { pageSize: 10 },
    sorters: { initial: [{ field: "name", order: "asc" }] },
    syncWithLocation: false,
    // Shows what others change. "auto" would also reload the user behind an open form: a conflict would go unnoticed.
    liveMode: "manual",
    onLiveEvent: () => void table.tableQuery.refetch(),
  });
  const { currentPage, setCurrentPage, pageCount, sorters, setSorters, setFilters, result, tableQuery } =
    table;
  const [editing, setEditing] = useState<number | "new">();
  const [selected, setSelected] = useState<readonly number[]>([]);
  const { mutate: deleteOne } = useDelete<User>();
  const { mutate: deleteMany } = useDeleteMany<User>();
  const { mutate: updateMany } = useUpdateMany<User>();
  const clear = { onSuccess: () => setSelected([]) };

  const sortBy = (field: string) => {
    const descending = sorters[0]?.field === field && sorters[0].order === "asc";
    setSorters([{ field, order: descending ? "desc" : "asc" }]);
  };
  const filterBy = (field: string, value: string) => setFilters([{ field, operator: "eq", value }], "merge");
  const toggle = (id: number) =>
    setSelected((ids) => (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]));

  return (
    <>
      <h1>{result.total} users</h1>
      <p>
        <input type="search" placeholder="Search" onChange={({ target }) => filterBy("q", target.value)} />{" "}
        <input placeholder="Department" onChange={({ target }) => filterBy("department", target.value)} />{" "}
        <button type="button" onClick={() => setEditing("new")}>
          New user
        </button>{" "}
        <button
          type="button"
          disabled={selected.length === 0}
          onClick={() =>
            updateMany({ resource: "users", ids: [...selected], values: { department: "sales" } }, clear)
          }
        >
          Move to sales
        </button>{" "}
        <button
          type="button"
          disabled={selected.length === 0}
          onClick={() => deleteMany({ resource: "users", ids: [...selected] }, clear)}
        >
          Delete selected
        </button>
      </p>
      {tableQuery.error && <p role="alert">{tableQuery.error.message}</p>}
      {editing && (
        <UserForm
          key={editing}
          {...(editing !== "new" && { id: editing })}
          onClose={() => setEditing(undefined)}
        />
      )}
      <table>
        <thead>
          <tr>
            <th />
            {fields.map((field) => (
              <th key={field}>
                {field === "department" ? (
                  field
                ) : (
                  <button type="button" onClick={() => sortBy(field)}>
                    {field}
                  </button>
                )}
              </th>
            ))}
            <th />
          </tr>
        </thead>
        <tbody>
          {result.data.map((user) => (
            <tr key={user.id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Select ${user.name}`}
                  checked={selected.includes(user.id)}
                  onChange={() => toggle(user.id)}
                />
              </td>
              {fields.map((field) => (
                <td key={field}>{user[field]}</td>
              ))}
              <td>
                <button type="button" onClick={() => setEditing(user.id)}>
                  Edit
                </button>{" "}
                <button type="button" onClick={() => deleteOne({ resource: "users", id: user.id })}>
                  Delete
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <button type="button" disabled={currentPage === 1} onClick={() => setCurrentPage(currentPage - 1)}>
          Previous
        </button>{" "}
        Page {currentPage} of {pageCount}{" "}
        <button
          type="button"
          disabled={currentPage >= pageCount}
          onClick={() => setCurrentPage(currentPage + 1)}
        >
          Next
        </button>
      </p>
    </>
  );
}

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <Refine
      dataProvider={dataProvider}
      liveProvider={liveProvider}
      resources={[{ name: "users" }]}
      options={{ disableTelemetry: true }}
    >
      <UserTable />
    </Refine>,
  );
}
