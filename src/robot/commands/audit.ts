import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';

/** `pismak robot audit`: replays request logs. */
export function addAudit(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'audit <log...>',
      'Replay request logs: prove that no rule of politeness was broken, or name the first violation',
      'robot audit corpus/',
      'robot audit corpus/requests-00001.jsonl.gz',
    )
    .action(
      shell.run<object, [string[]]>(async ({ out }, paths) => {
        const [{ checkRequests }, { readLog }] = await Promise.all([
          import('../politeness/check-requests.ts'),
          import('../politeness/read-log.ts'),
        ]);
        const requests = await readLog(paths);
        const violations = checkRequests(requests);
        const [first] = violations;
        const addresses = new Set(requests.map(({ address }) => address)).size;
        const hosts = new Set(requests.map(({ host }) => host)).size;
        if (out.json) out.object({ requests: requests.length, addresses, hosts, violations });
        else if (requests.length > 0 && !first)
          out.say(
            `${formatCount(requests.length, 'request')} to ${formatCount(hosts, 'host')} on ` +
              `${formatCount(addresses, 'address', 'addresses')}: no rule was broken`,
          );
        if (requests.length === 0)
          throw new PismakError(
            'not-found',
            `there are no requests in ${paths.join(', ')}, so nothing can be proved`,
          );
        if (first)
          throw new PismakError(
            'conflict',
            `${formatCount(violations.length, 'violation')}; the first one, of ${first.rule}, at ${formatTime(first.at)}: ${first.message}`,
          );
      }),
    );
}
