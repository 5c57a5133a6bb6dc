import { fileURLToPath } from 'node:url';
import { main } from './cli/main.js';

/** The houses whose packages are installed beside this one. */
const installed = [];
for (const name of HOUSES) {
  let address;
  try {
    address = import.meta.resolve(`pismak-${name}/house`);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    continue;
  }
  const house = (await import(address))[name];
  // The server adds the house's part of the console to its own.
  installed.push({ ...house, consoleDirectory: fileURLToPath(new URL('../console', address)) });
}
await main(installed);
