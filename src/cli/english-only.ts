import { registerHooks } from 'node:module';

/**
 * Zod brings its messages along in some fifty languages, and they are half of what it takes to load. We speak one.
 * Preloaded by bin/pismak; without it everything works the same, a little later.
 */
registerHooks({
  resolve(specifier, context, next) {
    const languages =
      specifier === '../locales/index.js' && context.parentURL?.includes('/node_modules/zod/');
    return next(languages ? '../locales/en.js' : specifier, context);
  },
});
