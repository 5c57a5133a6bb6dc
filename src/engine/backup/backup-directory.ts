import { join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '../settings/settings.ts';

/** A plain name: the right to make backups must not give access to any path of the machine. */
export const backupName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, 'must be a plain file name, such as pismak-2026-01-31.tar');

/** The directory of all backups. */
export function backupDirectory({ backup, data }: Pick<Settings, 'backup' | 'data'>): string {
  return backup.directory ?? join(data, 'backups');
}
