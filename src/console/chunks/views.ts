export { default as ActivityView } from "../activity/activity-view.tsx";
export { default as ConnectView } from "../connect/connect-view.tsx";
export { default as DeletedView } from "../deleted/deleted-view.tsx";
export { default as GroupsView } from "../groups/groups-view.tsx";
export { default as KeysView } from "../keys/keys-view.tsx";
export { default as OverviewView } from "../overview/overview-view.tsx";
export { default as SchemaView } from "../schema/schema-view.tsx";
export { default as WebhooksView } from "../webhooks/webhooks-view.tsx";
