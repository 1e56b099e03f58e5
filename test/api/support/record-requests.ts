/** The header of a change that applies to one version of a record. */
export const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

/** Query strings that lists of users and of groups refuse, with the parameter of the error. */
export const badListQueries: readonly (readonly [query: string, parameter: string])[] = [
  ["limit=0", "limit"],
  ["limit=1001", "limit"],
  ["limit=1&limit=2", "limit"],
  ["after=x", "after"],
  ["offset=-1", "offset"],
  ["offset=1.5", "offset"],
  ["sort=", "sort"],
  ["sort=--name", "sort"],
  ["sort=a..b", "sort"],
  ["q=", "q"],
  ["filter=memberCount%20ge", "filter"],
  ["fields=name,,id", "fields"],
  ["count=yes", "count"],
  ["page=2", "page"],
  ["cost-center=1", "cost-center"],
  ["password=x", "password"],
];

/** Parts of paths that are not ids. */
export const badIds = ["x", "-1", "0", "1.5", "9007199254740992", "1e3", "%20", "01"];
