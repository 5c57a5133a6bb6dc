/** What lines of events can be. */
export const formats = ['ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];
