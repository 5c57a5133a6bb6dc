import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { localDisks } from '../../disk/disk-reserve.ts';
import { version } from '../../ground/version.ts';
import { checkStores, storeStates, stores } from '../../health/check-stores.ts';
import { maskSecrets } from '../../log/mask-secrets.ts';
import { serverNames } from '../../servers/server-addresses.ts';
import { defineOperation } from '../operation.ts';
import { nothing, page } from './inputs.ts';

const certificateMs = 5_000;

export const systemShow = defineOperation({
  name: 'system.show',
  summary:
    'Show the health of each component and why it is not well, versions, disks, and when the certificates of TLS servers end',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  changes: false,
  input: nothing,
  output: z.strictObject({
    version: z.string(),
    node: z.string(),
    sqlite: z.string(),
    openssl: z.string(),
    platform: z.string(),
    host: z.string().describe('The machine that answers'),
    pid: z.int(),
    startedAt: z.number(),
    memoryBytes: z.number().describe('Resident memory of the process that answers'),
    components: z
      .array(
        z.strictObject({
          name: z.enum(stores),
          address: z.string().describe('Without credentials'),
          state: z.enum(storeStates),
          reason: z.string().nullable(),
        }),
      )
      .max(stores.length),
    disks: z
      .array(
        z.strictObject({
          directory: z.string(),
          holds: z.array(z.string()).describe('Stores on this disk, or backups'),
          freeBytes: z.number().nullable().describe('Null: it can not be read'),
          totalBytes: z.number().nullable(),
        }),
      )
      .max(10),
    certificates: z
      .array(
        z.strictObject({
          setting: z.string().describe('The setting that names the server'),
          server: z.string(),
          subject: z.string(),
          issuer: z.string(),
          validTo: z.number().nullable().describe('Null if it can not be read'),
          problem: z.string().nullable(),
        }),
      )
      .max(50)
      .describe('Of the servers that the settings name with TLS'),
  }),
  example: {},
  async handler({ engine, signal }) {
    const { statfs } = await import('node:fs/promises');
    const { backupDirectory } = await import('../../backup/backup-directory.ts');
    const { readCertificate, tlsServers } = await import('../../servers/certificates.ts');
    const { settings } = engine;
    const late = AbortSignal.any([signal, AbortSignal.timeout(certificateMs)]);
    const [faults, certificates] = await Promise.all([
      checkStores(engine),
      Promise.all(tlsServers(settings).map((server) => readCertificate(server, late))),
    ]);
    const places = [
      ...localDisks(settings).map(({ directory, stores: holds }) => ({ directory, holds: [...holds] })),
      { directory: resolve(backupDirectory(settings)), holds: ['backups'] },
    ];
    const disks = await Promise.all(
      places.map(async ({ directory, holds }) => {
        const disk = await statfs(directory).catch(() => undefined);
        return {
          directory,
          holds,
          freeBytes: disk ? disk.bavail * disk.bsize : null,
          totalBytes: disk ? disk.blocks * disk.bsize : null,
        };
      }),
    );
    return {
      version,
      node: process.versions.node,
      sqlite: process.versions.sqlite ?? '',
      openssl: process.versions.openssl ?? '',
      platform: `${process.platform} ${process.arch}`,
      host: hostname(),
      pid: process.pid,
      startedAt: Math.round(performance.timeOrigin),
      memoryBytes: process.memoryUsage.rss(),
      components: serverNames.map((name) => ({
        name,
        address: maskSecrets(settings[name]),
        state: faults[name]?.state ?? ('ok' as const),
        reason: faults[name] ? maskSecrets(faults[name].reason) : null,
      })),
      disks,
      certificates,
    };
  },
});

export const systemLicences = defineOperation({
  name: 'system.licences',
  summary: 'List the packages that this program uses, with their licences',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject(page),
  output: z.strictObject({
    packages: z.array(
      z.strictObject({
        name: z.string(),
        version: z.string(),
        licence: z.string().describe('As its author declares it; empty: not declared'),
      }),
    ),
  }),
  example: {},
  async handler(_, { offset, limit }) {
    const { installedPackages } = await import('../../health/installed-packages.ts');
    return { packages: (await installedPackages()).slice(offset, offset + limit) };
  },
});

export const systemOperations = [systemShow, systemLicences];
