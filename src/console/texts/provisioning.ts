/** What a field of a provider takes: the base URL, the key, or this text, which people type or choose. */
export type FieldEntry = "baseUrl" | "key" | { readonly text: string; readonly isTyped?: boolean };

interface ProviderTexts {
  readonly name: string;
  /** The name that a new key gets. */
  readonly keyName: string;
  /** Where the fields are. */
  readonly where: string;
  readonly fields: readonly (readonly [label: string, entry: FieldEntry])[];
  /** What else there is to do and to know. */
  readonly notes: readonly string[];
  /** The provider's own documentation. */
  readonly documentation?: { readonly label: string; readonly href: string };
}

const entra: ProviderTexts = {
  name: "Entra ID",
  keyName: "Entra ID",
  where:
    "In the Entra admin center: Enterprise applications > New application > Create your own application, as a non-gallery application. In it, open Provisioning > New configuration.",
  fields: [
    ["Tenant URL", "baseUrl"],
    ["Secret Token", "key"],
  ],
  notes: [
    "Press Test Connection, then Create.",
    "Keep userName as the matching attribute of users: users who are here already are found by it.",
    "Assign users and groups, try one with Provision on demand, then start the provisioning. A cycle comes about every 40 minutes.",
  ],
  documentation: {
    label: "Documentation of Microsoft",
    href: "https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups",
  },
};

const okta: ProviderTexts = {
  name: "Okta",
  keyName: "Okta",
  where:
    "In the Admin Console: Applications > Create App Integration, with SWA or SAML 2.0. On its General tab, set Provisioning to SCIM. Then open Provisioning > Integration > Edit.",
  fields: [
    ["SCIM connector base URL", "baseUrl"],
    ["Unique identifier field for users", { text: "userName", isTyped: true }],
    ["Supported provisioning actions", { text: "Push New Users, Push Profile Updates, Push Groups" }],
    ["Authentication Mode", { text: "HTTP Header" }],
    ["Authorization", "key"],
  ],
  notes: [
    "Press Test Connector Configuration, then Save.",
    "Under Provisioning > To App, enable Create Users, Update User Attributes and Deactivate Users.",
    "Assignments send users. Push Groups sends groups with their members.",
  ],
  documentation: {
    label: "Documentation of Okta",
    href: "https://help.okta.com/en-us/content/topics/apps/apps_app_integration_wizard_scim.htm",
  },
};

const oneLogin: ProviderTexts = {
  name: "OneLogin",
  keyName: "OneLogin",
  where:
    "Applications > Add App > SCIM Provisioner with SAML (SCIM v2 Enterprise). Then open its Configuration tab, and keep the SCIM JSON Template.",
  fields: [
    ["SCIM Base URL", "baseUrl"],
    ["SCIM Bearer Token", "key"],
  ],
  notes: [
    "Enable the API connection.",
    "On the Provisioning tab, check Enable provisioning, and decide whether a user who is removed is deleted or suspended.",
    "Assign users by roles.",
  ],
};

const jumpCloud: ProviderTexts = {
  name: "JumpCloud",
  keyName: "JumpCloud",
  where:
    "SSO Applications > Add New Application > Custom Application, with Export users to this app. Then open its Identity Management tab, and choose SCIM 2.0.",
  fields: [
    ["Base URL", "baseUrl"],
    ["Token Key", "key"],
    ["Test User Email", { text: "The address of the user that the test creates" }],
  ],
  notes: [
    "Choose Enable management of User Groups and Group Membership in this application to send groups, too.",
    "Test Connection creates a user and a group, and deletes them. The user is then among the deleted users.",
    "Activate, and assign user groups to the application.",
  ],
};

const other: ProviderTexts = {
  name: "Other",
  keyName: "Identity provider",
  where: "Any client of SCIM 2.0 works. It sends the key as bearer token, in the header Authorization.",
  fields: [
    ["Base URL", "baseUrl"],
    ["Token", "key"],
  ],
  notes: [
    "Match users by userName before you create them: a user name that exists is refused.",
    "To deactivate a user, send active: false. A deleted user can be restored for a while.",
  ],
};

export const provisioning = {
  title: "Provisioning",
  lead: "Identity providers such as Entra ID and Okta create, change and deactivate users here, and keep groups up to date. They use SCIM 2.0.",
  baseUrl: "Base URL",
  copyBaseUrl: "Copy base URL",
  loopback:
    "Only programs on this machine reach this address. Providers need the public one: open the console there, or set ROSTER_PUBLIC_URL to it.",
  unencrypted:
    "This address is not encrypted: others on the network can read the key, and most providers refuse it. Put TLS in front of Roster. If the address stays http, set ROSTER_PUBLIC_URL to the one with https.",
  off: {
    title: "SCIM is turned off",
    text: "Roster does not respond at /scim/v2. Start it without ROSTER_SCIM=off. If this setting is not there, let the proxy in front of Roster pass /scim/v2.",
  },
  open: {
    title: "Create a key for yourself first",
    text: "Until the first key exists, this service accepts every request from its own machine. After that, every request needs a key, and so does this console.",
    action: "Create the first key",
  },
  authOff:
    "This service requires no key (ROSTER_AUTH is off): everyone who reaches it can change users and groups. Turn authentication on before a provider connects.",
  keys: {
    title: "Keys for provisioning",
    hint: "Active keys that read and write users and groups. With one key for each provider, you see when the provider called last.",
    list: "Keys for provisioning",
    name: "Name",
    lastUsed: "Last used",
    never: "Never",
    requests: "Last 30 days",
    create: "Create key",
    command: "Create key for provisioning",
    needed: "Provisioning needs the scopes to read and edit users and groups.",
    empty: {
      title: "No key for provisioning yet",
      text: "Create a key, and enter it at the provider. Roster shows it once.",
    },
    lacking:
      "To create a key, sign in with a key that has the scope keys:manage, or use the command on the machine that runs Roster:",
  },
  providers: {
    title: "Enter at the provider",
    label: "Providers",
    key: "The key for this provider",
    more: "Every step, the mapping of attributes, and what to do about errors: docs/scim.md in Roster’s source.",
    of: { entra, okta, oneLogin, jumpCloud, other },
  },
  test: {
    title: "Try it",
    text: "If the response has “totalResults”: 0, the address works.",
    textWithKey:
      "The first command asks for the key, without showing it. If the response to the second one has “totalResults”: 0, the address and the key work.",
  },
};
