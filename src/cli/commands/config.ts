import { settingsList } from '../../engine/operation/operations/settings.ts';
import type { SettingRow } from '../../engine/settings/show.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import type { Column } from '../../terminal/output/table.ts';

const columns: Column<SettingRow>[] = [
  { title: 'setting', of: (row) => row.setting },
  { title: 'value', of: (row) => row.value },
  { title: 'origin', of: (row) => row.origin },
];
const explaining: Column<SettingRow>[] = [
  { title: 'default', of: (row) => row.default },
  { title: 'allowed', of: (row) => row.allowed },
  { title: 'variable', of: (row) => row.variable },
  { title: 'description', of: (row) => row.description },
];

const add: AddGroup = (group, { run }) => {
  group
    .option('--explain', 'also show the allowed values and the environment variable of each setting')
    .addHelpText(
      'after',
      '\nSettings come from these sources; later ones win: defaults, pismak.toml, the environment (http.bodyLimitMb is\n' +
        'PISMAK_HTTP_BODY_LIMIT_MB), the command line (--set http.port=8080).\n' +
        'Shows the settings that commands in this directory would have; with --url, those of that server.\n\n' +
        'Examples:\n  $ pismak config\n  $ pismak config --explain --json',
    )
    .action(
      run<{ explain?: boolean }>(async ({ settings, out, options, remote, client }) => {
        const shown = options.explain ? [...columns, ...explaining] : columns;
        if (remote) return out.list((await (await client()).call(settingsList, {})).settings, shown);
        const loaded = await settings();
        const { settingRows } = await import('../../engine/settings/show.ts');
        out.list(settingRows(loaded), shown);
      }),
    );
};
export default add;
