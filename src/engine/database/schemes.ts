/** URL schemes that select an adapter. Kept apart from the adapters, because every command reads the settings. */
export const databaseSchemes = ['sqlite', 'postgres'] as const;
