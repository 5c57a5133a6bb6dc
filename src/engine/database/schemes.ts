/** Schemes of URLs that choose an adapter. Apart from the adapters, because every command reads the settings. */
export const databaseSchemes = ['sqlite', 'postgres'] as const;
