/** The texts of commands, which are loaded with the palette and the views. */
export const commands = {
  /** The headings of the commands of a place. */
  places: {
    user: "This user",
    selection: "Selected users",
    users: "Users",
    group: "This group",
    groups: "Groups",
    webhook: "This webhook",
    webhooks: "Webhooks",
    keys: "Keys",
    provisioning: "Provisioning",
  },
  user: {
    copyId: "Copy ID",
    copyEmail: "Copy email",
    copyLink: "Copy link",
    openPage: "Open as page",
    delete: "Delete user",
  },
  selection: {
    edit: "Edit selected users",
    export: "Export selected users",
    add: "Add selected users to a group",
    remove: "Remove selected users from a group",
    delete: "Delete selected users",
    clear: "Clear the selection",
  },
  webhook: {
    test: "Send test event",
    edit: "Edit webhook",
    rotate: "Rotate secret",
    disable: "Disable webhook",
    activate: "Activate webhook",
    delete: "Delete webhook",
  },
  newKey: "New key",
  newWebhook: "New webhook",
  undo: "Undo the last change",
};
