import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { toAlto } from './alto.ts';
import { toMets } from './mets.ts';
import { toPageXml } from './page-xml.ts';
import { about, anyPage, samplePage } from './testing/pages.ts';

/** A directory with the official schemas, which may not be copied here: `page-2019-07-15.xsd`, `alto-4-2.xsd`, `mets.xsd`. */
const schemas = process.env.XML_SCHEMAS;

if (schemas !== undefined) {
  test('METS is valid by the official schema', async (t) => {
    const file = join(await temporaryDirectory(t), 'mets.xml');
    const stored = {
      use: 'IMAGE',
      mediaType: 'image/png',
      path: '0001/a b.png',
      size: 1,
      sha256: 'ab'.repeat(32),
    };
    const pages = [1, 2].map((number) => ({ number, name: 'a.tif', language: 'ces+deu', files: [stored] }));
    await writeFile(file, toMets({ id: 'd', title: 'Kronika', created: new Date(0), pages }));
    execFileSync('xmllint', ['--noout', '--nonet', '--schema', join(schemas, 'mets.xsd'), file], {
      stdio: 'pipe',
    });
  });

  for (const [name, schema, write] of [
    ['PAGE', 'page-2019-07-15.xsd', toPageXml],
    ['ALTO', 'alto-4-2.xsd', toAlto],
  ] as const) {
    test(`any page is valid ${name}, by the official schema`, async (t) => {
      const directory = await temporaryDirectory(t);
      const pages = [samplePage(), ...fc.sample(anyPage, { numRuns: 50, seed: 1 })];
      const files = pages.map((_, index) => join(directory, `${index}.xml`));
      for (const [index, page] of pages.entries()) await writeFile(files[index] ?? '', write(page, about));
      execFileSync('xmllint', ['--noout', '--nonet', '--schema', join(schemas, schema), ...files], {
        stdio: 'pipe',
      });
    });
  }
}
