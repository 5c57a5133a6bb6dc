import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';

export const settingsList = defineOperation({
  name: 'settings.ls',
  summary: 'List the settings of the server with their origins; secrets are masked',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    settings: z.array(
      z.strictObject({
        setting: z.string(),
        value: z.string().describe('As in pismak.toml, with secrets masked; empty if there is none'),
        origin: z
          .string()
          .describe(
            'Where the value comes from: `default`, `pismak.toml:12` (file and line), `environment PISMAK_X`, `command line --x`',
          ),
        default: z.string().describe('As in pismak.toml, or in words if it depends on the machine'),
        variable: z.string().describe('The environment variable that sets it'),
        allowed: z.string().describe('The allowed values, in words'),
        description: z.string(),
      }),
    ),
    file: z.string().nullable().describe("The settings file, on the server's machine; null: none"),
  }),
  example: {},
  async handler({ engine }) {
    const [{ defineSettings }, { settingRows }] = await Promise.all([
      import('../../settings/setting.ts'),
      import('../../settings/show.ts'),
    ]);
    const { settings, settingOrigins: origins, houses, configurationFile } = engine;
    return {
      settings: settingRows({ settings, origins, definition: defineSettings(houses) }),
      file: configurationFile ?? null,
    };
  },
});

export const settingsOperations = [settingsList];
