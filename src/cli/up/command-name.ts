/** The command to type in this installation: a checkout runs from source, a package is compiled. */
export const commandName = import.meta.filename.endsWith('.ts') ? 'bin/pismak' : 'npx pismak';
