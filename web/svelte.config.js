/** Read by svelte-check and by vite. Types need no preprocessing, and runes are the only way. */
export default { compilerOptions: { runes: true } };
