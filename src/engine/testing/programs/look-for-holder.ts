import { readHolder } from '../../data-directory/data-directory.ts';

/** Keeps checking which process holds the data directory, until it is killed. */
process.stdout.write('looking\n');
for (;;) await readHolder(process.argv[2] ?? '');
