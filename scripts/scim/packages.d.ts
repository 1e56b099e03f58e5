/** What the scripts use of the packages of this folder, for those who have not installed them. */
declare module "scim-patch" {
  interface Options {
    readonly mutateDocument: boolean;
    readonly treatMissingAsAdd: boolean;
  }
  export function scimPatch<Resource extends object>(
    resource: Resource,
    operations: readonly object[],
    options?: Options,
  ): Resource;
}
