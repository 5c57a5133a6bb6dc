import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The address of a running Pismak, for `npm run dev`. */
const server = process.env.PISMAK_SERVER ?? 'http://127.0.0.1:7475';

export default defineConfig({
  base: '/console/',
  plugins: [svelte()],
  build: {
    target: 'es2023',
    // Browsers that know light-dark(): an older target would follow the system and not the switch.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsDir: 'assets',
    // Every file has its hash in its name and its own compressed forms; data: addresses would need a wider policy for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'vite.json',
    reportCompressedSize: false,
  },
  server: {
    port: 7480,
    // The server accepts changes only from its own pages, so the proxy names it as the origin.
    proxy: Object.fromEntries(
      ['/api', '/console/build.json'].map((path) => [
        path,
        { target: server, changeOrigin: true, headers: { origin: new URL(server).origin } },
      ]),
    ),
  },
});
