import { knownValues } from "./support/sample-users.ts";

const {
  commonName,
  matchesAll: everyone,
  rareName,
  rareOfCommonParts,
  commonDepartment,
  rareDepartment,
  graduates,
} = knownValues;
const common = `department=${commonDepartment}`;
const meeting = `${common}&level=3`;
const hardlyMeeting = `department=${graduates.department}&level=${graduates.level}`;

/** Every kind of list: what it is called, and the query that asks for it. */
export const listKinds: Readonly<Record<string, string>> = {
  plain: "",
  "largest page": "limit=1000",
  "deepest offset": "offset=10000",
  ...Object.fromEntries(
    ["id", "name", "email", "createdAt", "updatedAt"].flatMap((field) => [
      [`by ${field}`, `sort=${field}`],
      [`by ${field}, descending`, `sort=-${field}`],
    ]),
  ),
  "by name, deepest offset": "sort=name&offset=10000",
  "search: rare": `q=${rareName}`,
  "search: common": `q=${commonName}`,
  "search: everyone has it": `q=${everyone}`,
  "search: nobody has it": "q=xyzzyxyz",
  "search: rare, of common parts": `q=${rareOfCommonParts}`,
  "search: 1 character": "q=a",
  "search: 2 characters": "q=an",
  "search: 3 characters": "q=son",
  "search: long": "q=anna.anderson@example.communications.example.org.of.the.whole.world",
  "search: rare, by name": `q=${rareName}&sort=name`,
  "search: common, by name": `q=${commonName}&sort=name`,
  "search: everyone, by name": `q=${everyone}&sort=name`,
  "search: 1 character, by -createdAt": "q=a&sort=-createdAt",
  "search: common parts, by name": `q=${rareOfCommonParts}&sort=name`,
  "search: everyone, deepest offset": `q=${everyone}&offset=10000`,
  "search: everyone, by name, deepest offset": `q=${everyone}&sort=name&offset=10000`,
  "filter: common": common,
  "filter: rare": `department=${rareDepartment}`,
  "filter: nobody": "department=Nowhere",
  "filter: common, by name": `${common}&sort=name`,
  "filter: common, deepest offset": `${common}&offset=10000`,
  "filter: any of 3 values": `${common}&department=Sales&department=Legal`,
  "filters: two that meet": meeting,
  "filters: two that meet, by -createdAt": `${meeting}&sort=-createdAt`,
  "filters: two that hardly meet": hardlyMeeting,
  "filters: hardly meet, by -createdAt": `${hardlyMeeting}&sort=-createdAt`,
  "filter and search": `${common}&q=${commonName}`,
  "filter and search, by -name": `${common}&q=${everyone}&sort=-name`,
  "count: plain": "count=true",
  "count: filter common": `${common}&count=true`,
  "count: filters that meet": `${meeting}&count=true`,
  "count: filters that hardly meet": `${hardlyMeeting}&count=true`,
  "count: search common": `q=${commonName}&count=true`,
  "count: search everyone": `q=${everyone}&count=true`,
  "count: search 1 character": "q=a&count=true",
  "count: filter and search": `${common}&q=${everyone}&count=true`,
};

/** Lists whose pages are followed. */
export const followed: Readonly<Record<string, string>> = {
  "20 pages: plain": "",
  "20 pages: by name": "sort=name",
  "20 pages: search common, by name": `q=${commonName}&sort=name`,
  "20 pages: filters that hardly meet": hardlyMeeting,
  "20 pages: hardly meet, by -createdAt": `${hardlyMeeting}&sort=-createdAt`,
};
