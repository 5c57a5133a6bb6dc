/** The owner of the program's own things; no account can have this name. */
export const programOwner = 'pismak';
