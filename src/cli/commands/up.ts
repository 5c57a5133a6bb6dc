import type { AddGroup } from '../../terminal/command-group.ts';

const add: AddGroup = (group, shell) => {
  group
    .option('--host <address>', 'address to listen on (setting http.host)')
    .option('--port <port>', 'port of the API; 0 chooses a free one (setting http.port)')
    .option(
      '--build-console',
      'build the web console beside the start, if its sources changed (in a checkout)',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ pismak up\n  $ pismak up --data /var/lib/pismak --port 8080 --set worker.count=8',
    )
    .action(
      shell.run<{ buildConsole?: boolean }>(async (session) => {
        const loaded = await session.settings();
        for (const warning of loaded.warnings) session.stderr.write(`pismak: ${warning}\n`);
        const { up } = await import('../up/up.ts');
        await up(loaded, session.houses, { buildsConsole: session.options.buildConsole === true });
      }),
    );
};
export default add;
