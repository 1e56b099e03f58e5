/** What X-Request-Id accepts, and so what events are found by: at most 128 characters. */
export const REQUEST_ID_PATTERN = "^[A-Za-z0-9._:/+=-]{1,128}$";
