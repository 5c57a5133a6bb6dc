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
  installed.push((await import(address))[name]);
}
await main(installed);
