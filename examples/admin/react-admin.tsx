/** Users and groups in react-admin: list, search, filter, sort, create, edit and delete; the members of a group. */

import { useEffect } from "react";
import {
  Admin,
  BulkDeleteButton,
  BulkUpdateButton,
  Create,
  Datagrid,
  DateField,
  Edit,
  EmailField,
  List,
  NumberField,
  Pagination,
  ReferenceManyField,
  Resource,
  SimpleForm,
  TextField,
  TextInput,
  useRefresh,
} from "react-admin";
import { createRoot } from "react-dom/client";
import { createClient } from "roster-client";
import { createDataProvider } from "roster-client/react-admin";

const dataProvider = createDataProvider(createClient());

const filters = [
  <TextInput key="q" source="q" label="Search" alwaysOn />,
  <TextInput key="department" source="department" alwaysOn />,
];

const bulkActions = (
  <>
    <BulkUpdateButton label="Move to sales" data={{ department: "sales" }} mutationMode="pessimistic" />
    <BulkDeleteButton mutationMode="pessimistic" />
  </>
);

/** Shows what others change. */
function LiveUpdates() {
  const refresh = useRefresh();
  useEffect(() => {
    void dataProvider.subscribe("resource/users", refresh);
    return () => void dataProvider.unsubscribe("resource/users", refresh);
  }, [refresh]);
  return null;
}

const UserList = () => (
  <List filters={filters} sort={{ field: "name", order: "ASC" }} perPage={10}>
    <LiveUpdates />
    <Datagrid rowClick="edit" bulkActionButtons={bulkActions}>
      <TextField source="name" />
      <EmailField source="email" />
      <TextField source="department" sortable={false} />
      <TextField source="address.city" label="City" sortable={false} />
      <DateField source="createdAt" label="Created" />
    </Datagrid>
  </List>
);

const fields = [
  <TextInput key="name" source="name" />,
  <TextInput key="email" source="email" />,
  <TextInput key="department" source="department" />,
  <TextInput key="city" source="address.city" label="City" />,
];

const UserCreate = () => (
  <Create redirect="list">
    <SimpleForm>{fields}</SimpleForm>
  </Create>
);

// Pessimistic: the form shows the errors of the service at its fields.
const UserEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>{fields}</SimpleForm>
  </Edit>
);

const GroupList = () => (
  <List
    filters={[<TextInput key="q" source="q" label="Search" alwaysOn />]}
    sort={{ field: "name", order: "ASC" }}
    perPage={10}
  >
    <Datagrid rowClick="edit">
      <TextField source="name" />
      <NumberField source="memberCount" label="Members" />
    </Datagrid>
  </List>
);

const GroupEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>
      <TextInput source="name" />
      <ReferenceManyField
        reference="users"
        target="group"
        sort={{ field: "name", order: "ASC" }}
        pagination={<Pagination />}
        perPage={10}
      >
        <Datagrid bulkActionButtons={false} rowClick="edit">
          <TextField source="name" />
          <EmailField source="email" />
        </Datagrid>
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
);

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <Admin dataProvider={dataProvider} disableTelemetry>
      <Resource
        name="users"
        list={UserList}
        create={UserCreate}
        edit={UserEdit}
        recordRepresentation="name"
      />
      <Resource name="groups" list={GroupList} edit={GroupEdit} recordRepresentation="name" />
    </Admin>,
  );
}
