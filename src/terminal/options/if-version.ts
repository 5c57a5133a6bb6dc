/** The option for the version that a change starts from, `base`. */
export const ifVersion = { flags: '--if-version <number>' } as const;
