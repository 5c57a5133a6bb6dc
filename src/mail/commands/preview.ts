import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { hasCode, messageOf, PismakError } from '../../engine/ground/errors.ts';
import { escapeHtml } from '../../formats/markup/escape.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { typePreview } from '../operations/translation.ts';
import { typeList } from '../operations/type.ts';
import { Chromium } from './chromium.ts';
import { cannotWrite, parseJson, writeTo } from './text-files.ts';

interface PreviewOptions {
  locale?: string;
  values?: string;
  dataGiven?: string;
  design?: string;
  output: string;
  png?: boolean;
}

interface PreviewedMail {
  name: string;
  subject: string;
  missing: string;
  hasPicture: boolean;
}

const mailWidth = 640;
/** Three mails side by side. */
const sheetWidth = 3 * (mailWidth + 20);

export function addPreview(group: Command, { command, run }: Shell): void {
  command(
    group,
    'preview <type>',
    'Render a mail type to files: HTML, text and, with Chromium, a picture. `all` renders every type in every language, with a page (and picture) that shows them all',
    'mail preview order --locale cs --values \'{"number": 7}\' -o preview/',
    'mail preview all -o preview/ --png',
  )
    .option('--locale <language>', 'language; by default that of the type, and with `all` every language')
    .option('--values <json>', 'values for the template; `--data` takes them too')
    .option(
      '--design <name>',
      'design of the type to use; with `all`, types that have other designs are left out',
    )
    .option('--png', 'pictures too; needs Chromium')
    .requiredOption('-o, --output <directory>', 'where the files go')
    .action(run<PreviewOptions>((session, code = '') => preview(session, code)));
}

async function preview(session: Session<PreviewOptions>, code: string): Promise<void> {
  const opening: Promise<Chromium>[] = [];
  const { output, png } = session.options;
  /** Opened on first use, so that a failed preview leaves nothing behind. */
  const prepare = async () => {
    await mkdir(output, { recursive: true }).catch((error: unknown) => {
      throw cannotWrite(output, error);
    });
    if (png && opening.length === 0) opening.push(Chromium.open());
    return opening[0];
  };
  try {
    await previewWith(session, code, prepare);
  } finally {
    await (await opening[0])?.close();
  }
}

async function previewWith(
  session: Session<PreviewOptions>,
  code: string,
  prepare: () => Promise<Chromium | undefined>,
): Promise<void> {
  const { options, out } = session;
  const { output } = options;
  const given = options.values ?? options.dataGiven;
  const values = given === undefined ? {} : parseJson('--values', given);
  const client = await session.client();
  const types =
    code === 'all'
      ? ofDesign((await client.call(typeList, {})).types, options.design)
      : [{ code, languages: [options.locale], design: options.design }];
  // A type without a translation is sent in that language as well; the sheet shows what is missing.
  const languages = new Set(
    options.locale === undefined ? types.flatMap((type) => type.languages) : [options.locale],
  );
  const made: PreviewedMail[] = [];
  let failed = 0;
  for (const type of types) {
    for (const language of languages) {
      const shown = await client
        .call(typePreview, { code: type.code, language, values, design: type.design })
        .catch((error: unknown) => {
          if (code !== 'all' || !hasCode(error, 'invalid-input')) throw error;
          session.stderr.write(`${messageOf(error)}\n`);
        });
      if (!shown) {
        failed++;
        continue;
      }
      const chromium = await prepare();
      const name = `${type.code}.${shown.language}`;
      const file = (ending: string) => join(output, `${name}.${ending}`);
      await writeTo(file('html'), shown.html);
      await writeTo(file('txt'), `${shown.subject}\n\n${shown.text}\n`);
      if (chromium) await writeTo(file('png'), await chromium.photograph(file('html'), mailWidth));
      made.push({ name, subject: shown.subject, missing: shown.missing, hasPicture: chromium !== undefined });
    }
  }
  if (code === 'all') {
    const chromium = await prepare();
    const index = join(output, 'index.html');
    await writeTo(index, sheet(made));
    if (chromium) await writeTo(join(output, 'index.png'), await chromium.photograph(index, sheetWidth));
  }
  out.list(
    made,
    [
      { title: 'mail', of: (row) => row.name },
      { title: 'subject', of: (row) => row.subject },
      { title: 'not translated', of: (row) => row.missing.replaceAll('\n', '; ') },
    ],
    'no mail types',
  );
  if (failed > 0) throw new PismakError('invalid-input', `${formatCount(failed, 'mail')} can't be rendered`);
}

/** Types of a domain: those with its design, and those without designs. */
function ofDesign<Type extends { designs: readonly string[] }>(types: readonly Type[], design = '') {
  const known = new Set(types.flatMap(({ designs }) => designs));
  if (design !== '' && !known.has(design))
    throw new PismakError(
      'invalid-input',
      `no mail type has a design ${design}; the designs are ${[...known].join(', ') || 'none'}`,
    );
  return types
    .filter(({ designs }) => design === '' || designs.length === 0 || designs.includes(design))
    .map((type) => ({ ...type, design: type.designs.includes(design) ? design : undefined }));
}

/** All mails side by side. */
function sheet(mails: readonly PreviewedMail[]): string {
  const figures = mails.map(({ name, subject, missing, hasPicture }) => {
    const gaps = missing ? `<br>not translated: ${escapeHtml(missing.replaceAll('\n', '; '))}` : '';
    const file = encodeURIComponent(name);
    const shown = hasPicture
      ? `<img src="${file}.png" alt="">`
      : `<iframe sandbox src="${file}.html"></iframe>`;
    return `<figure><figcaption><b>${escapeHtml(name)}</b> ${escapeHtml(subject)}${gaps}</figcaption>${shown}</figure>`;
  });
  const style = `body{display:flex;flex-wrap:wrap;align-items:flex-start;gap:16px;margin:10px;font-family:sans-serif}figure{margin:0;width:${mailWidth}px}img,iframe{width:100%;border:1px solid #ccc;box-sizing:border-box}iframe{height:800px}`;
  return `<!doctype html><meta charset="utf-8"><title>Mails</title><style>${style}</style>${figures.join('\n')}\n`;
}
