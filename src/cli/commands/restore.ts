import type { AddGroup } from '../../terminal/command-group.ts';
import { formatBytes, formatCount, formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, { run }) => {
  group
    .argument('<file>', 'a file written by `pismak backup`')
    .option('--force', 'if the data directory is not empty, move it aside')
    .addHelpText(
      'after',
      '\nThe data directory must not be in use. The backup is checked first; then the directory appears in one step.\n\n' +
        'Examples:\n  $ pismak restore backup.tar\n  $ pismak restore backup.tar --data /var/lib/pismak --force',
    )
    .action(
      run<{ force?: boolean }>(async ({ settings, out, options, clock, houses }, file = '') => {
        const { data } = (await settings()).settings;
        const { loadHouses } = await import('../../engine/house.ts');
        const loaded = await loadHouses(houses);
        const { restoreBackup } = await import('../../engine/backup/restore.ts');
        const { manifest, movedAside } = await restoreBackup({
          file,
          data,
          force: options.force ?? false,
          clock,
          lines: loaded.map(({ name, migrations = [] }) => ({ name, migrations })),
        });
        if (out.json) return out.object({ data, movedAside: movedAside ?? null, manifest });
        const { count, bytes } = manifest.blobs;
        out.say(
          `${data} is restored to its state of ${formatTime(manifest.createdAt)}, with ${formatCount(count, 'blob')} (${formatBytes(bytes)})`,
        );
        const { users, keys } = manifest.accounts;
        const admins = users.filter(({ role }) => role === 'admin').map(({ name }) => name);
        out.say(
          `${formatCount(users.length, 'user')} and ${formatCount(keys.length, 'key')} can sign in; administrators: ${admins.join(', ') || 'none'}`,
        );
        if (movedAside !== undefined) out.say(`the old data directory is now ${movedAside}`);
        if (manifest.parts.some(({ name }) => name === 'pismak.toml')) {
          out.say(`the settings from the backup are in ${data}/pismak.toml.restored`);
        }
      }),
    );
};
export default add;
