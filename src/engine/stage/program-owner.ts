/** Owns what belongs to the program itself; no account can have this name. */
export const programOwner = 'pismak';
