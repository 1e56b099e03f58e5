export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Custom fields of any name and type: the default until you declare yours. */
export type CustomFields = { [field: string]: Json | undefined };
