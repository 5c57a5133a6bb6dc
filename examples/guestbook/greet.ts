import { defineProcessor } from '../../src/engine/processor/processor.ts';

export default defineProcessor(async ({ config }) => {
  const greeting = config.trim() || 'Hello';
  return async ({ files }) => {
    for (const name of files.names()) {
      const person = Buffer.from(await files.read(name))
        .toString()
        .trim();
      await files.write(name, Buffer.from(`${greeting}, ${person}!\n`));
    }
  };
});
