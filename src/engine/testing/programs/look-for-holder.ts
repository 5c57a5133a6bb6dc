import { readHolder } from '../../data-directory/data-directory.ts';

/** Looks who holds the data directory, again and again, until it is killed. */
process.stdout.write('looking\n');
for (;;) await readHolder(process.argv[2] ?? '');
