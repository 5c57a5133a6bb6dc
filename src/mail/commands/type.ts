import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { collect } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { ifVersion } from '../../terminal/options/if-version.ts';
import { formatTime } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { typeCreate, typeDelete, typeList, typeShow, typeUpdate } from '../operations/type.ts';
import { attachFiles } from './attach-files.ts';

/** A file with the template, or the template itself if it contains `<`. */
const template = {
  flags: '--template <file>',
  about: 'file with the template, MJML or HTML, or the template itself',
  read: (text: string) => (text.includes('<') ? text : readTemplate(text)),
};

/** A file with the text part, or the text itself if it contains spaces or Liquid. */
const text = {
  flags: '--text <file>',
  about: 'file with the text part, or the text itself; derived from the template by default',
  read: (given: string) => (/[\s{]/.test(given) && !existsSync(given) ? given : readTemplate(given)),
};

export function addTypes(group: Command, shell: Shell): void {
  const types = group
    .command('type')
    .description('Mail types: sender, subject, template and class of all mails of one kind');
  const command = operationCommands(types, shell);
  const say = ({ code, version }: { code: string; version: number }) =>
    `mail type ${code}, version ${version}`;
  const fields = { template, text, attachments: false } as const;
  const complete = async (session: Session) => {
    const { attach } = session.options as { attach?: string[] };
    if (attach === undefined) return {};
    return { attachments: attach.join() === 'none' ? [] : await attachFiles(session, attach) };
  };
  command(typeCreate, {
    usage: 'create <code>',
    fields,
    complete,
    examples: [
      "mail type create news --sender shop@example.org --subject 'News for {{ name }}' --template news.mjml --class bulk",
    ],
    say,
  }).option('--attach <file>', 'attach a file to every mail; may be repeated', collect);
  command(typeUpdate, {
    usage: 'update <code>',
    fields: { ...fields, base: ifVersion },
    complete,
    say,
  }).option(
    '--attach <file>',
    'attach this file to every mail instead of those before; may be repeated; `none` removes them',
    collect,
  );
  command(typeShow, { usage: 'show <code>', fields: { version: { flags: '--of-version <number>' } } });
  command(typeList, {
    usage: 'ls',
    columns: [
      { title: 'type', of: (row) => row.code },
      { title: 'class', of: (row) => row.class },
      { title: 'sender', of: (row) => row.sender },
      { title: 'subject', of: (row) => row.subject },
      { title: 'languages', of: (row) => row.languages.join(' ') },
      { title: 'version', of: (row) => String(row.version) },
      { title: 'changed', of: (row) => formatTime(row.createdAt) },
    ],
    empty: 'no mail types; create one with `pismak mail type create`',
  });
  command(typeDelete, { usage: 'delete <code>', say: (_, { code }) => `mail type ${code} is deleted` });
}

function readTemplate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`);
  }
}
