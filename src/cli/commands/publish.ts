import { PismakError } from '../../engine/ground/errors.ts';
import { ResultDirectory } from '../../engine/results/result-directory.ts';
import { requireRunning } from '../../terminal/client/require-running.ts';
import { tellAlerts } from '../../terminal/client/tell-alerts.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { findFiles, plannedFile } from '../../terminal/files/files-to-publish.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import {
  addTargetOptions,
  outputQueue,
  type Target,
  type TargetOptions,
  targetOf,
} from '../../terminal/options/request-target.ts';
import { formatCount } from '../../terminal/output/format.ts';
import { collectResults } from '../../terminal/results/collect-results.ts';
import { describeCounts } from '../../terminal/results/describe-counts.ts';
import { submitRequests } from '../../terminal/results/submit-requests.ts';
import type { Session } from '../../terminal/session.ts';

interface Options extends TargetOptions {
  wait?: boolean;
  output: string;
  messages?: boolean;
}

const add: AddGroup = (group, { run }) => {
  addTargetOptions(group.argument('<files...>', 'files, or directories with files'))
    .option('--wait', 'wait for the results and save them')
    .option('-o, --output <directory>', 'where --wait saves each file: DIRECTORY/UUID/NAME', 'results')
    .option('--messages', 'with --wait: also keep the whole request as request.pb')
    .addHelpText(
      'after',
      '\nEach file becomes its own request; its uuid is printed. --wait collects everything from the output queue until\n' +
        'all results are there, and fails if one of the requests failed.\n\n' +
        'Examples:\n  $ pismak publish scans/ --pipeline pages\n' +
        '  $ pismak publish a.png b.png --stages detect,recognise,done --priority high --wait -o results',
    )
    .action(
      run<Options, [string[]]>(async (session, paths) => {
        const target = targetOf(session.options);
        const files = await findFiles(paths, session.stderr);
        if (session.options.wait) await openOutputDirectory(session.options.output);
        if (session.options.wait) await requireRunning(session);
        const sent = await publish(session, files, target);
        if (session.options.wait) await waitFor(session, new Set(sent.map(({ uuid }) => uuid)), target);
      }),
    );
};
export default add;

type Sent = { uuid: string; file: string };

async function publish(session: Session<Options>, files: readonly string[], target: Target): Promise<Sent[]> {
  const { out, clock, signal, stderr } = session;
  const sent: Sent[] = [];
  const client = await session.client();
  const bar = session.progress('requests', files.length);
  await submitRequests({
    client,
    target,
    clock,
    signal,
    requests: (async function* () {
      for (const file of files) yield await plannedFile(file, clock);
    })(),
    submitted({ uuid, path }) {
      sent.push({ uuid, file: path });
      bar.set(sent.length);
    },
    waiting: (reason) => stderr.write(`${reason}; waiting\n`),
  }).finally(() => {
    bar.close();
    const columns = [
      { title: 'uuid', of: (row: Sent) => row.uuid },
      { title: 'file', of: (row: Sent) => row.file },
    ];
    out.list(sent, columns, 'nothing was sent');
  });
  if (client.alone) stderr.write('nothing runs here: the requests wait until you start `pismak up`\n');
  return sent;
}

async function waitFor(session: Session<Options>, uuids: Set<string>, target: Target): Promise<void> {
  const { out, clock, signal, options } = session;
  const client = await session.client();
  const queue = await outputQueue(target, client);
  const directory = await ResultDirectory.open(options.output, {
    messages: options.messages ?? false,
    clock,
  });
  const total = uuids.size;
  const bar = session.progress('results', total);
  const until = { kind: 'uuids', uuids } as const;
  const alerts = tellAlerts(session, client);
  await collectResults({
    client,
    directory,
    queue,
    until,
    signal,
    progress: () => bar.set(total - uuids.size),
  }).finally(async () => {
    bar.close();
    await alerts.close();
    await directory.close();
    out.say(`${describeCounts(directory.counts)} in ${options.output}`);
  });
  if (directory.counts.failed > 0) {
    throw new PismakError('processor-failed', `${formatCount(directory.counts.failed, 'request')} failed`);
  }
}
