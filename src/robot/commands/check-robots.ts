import type { Command } from 'commander';
import type { Shell } from '../../terminal/shell.ts';
import { readInput } from './read-input.ts';

interface Options {
  robots: string;
  agent: string;
}

/** `pismak robot check-robots`: what a robots.txt allows. */
export function addCheckRobots(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'check-robots <url...>',
      'Say for each URL whether a robots.txt allows it: `allowed` or `disallowed`, one per line',
      'robot check-robots --robots robots.txt --agent PismakRobot https://example.org/a https://example.org/b',
      'robot check-robots --robots - --agent PismakRobot /a < robots.txt',
    )
    .requiredOption('--robots <file>', 'the robots.txt; - for standard input')
    .option('--agent <name>', 'the name of the robot', 'PismakRobot')
    .action(
      shell.run<Options, [string[]]>(async ({ options, out }, urls) => {
        const { parseRobots } = await import('../text/robots-rules.ts');
        const rules = parseRobots(await readInput(options.robots));
        const answers = urls.map((url) => ({ url, allowed: rules.isAllowed(options.agent, url) }));
        if (out.json) out.object(answers);
        else for (const { allowed } of answers) out.say(allowed ? 'allowed' : 'disallowed');
      }),
    );
}
