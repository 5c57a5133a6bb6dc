import { text } from 'node:stream/consumers';
import type { AddGroup } from '../../terminal/command-group.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import {
  documentAnnotations,
  documentImage,
  documentImageInfo,
  documentManifest,
} from '../operations/iiif.ts';
import { documentThumbnail, documentView } from '../operations/views.ts';

interface ImageOptions {
  output?: string;
  region: string;
  size: string;
  thumbnail?: boolean;
  view?: boolean;
  info?: boolean;
}

/** Commands for viewers of scans. */
export const addIiif: AddGroup = (group, { command, renamed, run }) => {
  renamed(group, 'iiif', 'manifest');
  command(
    group,
    'manifest <document>',
    'Print the address of the document’s IIIF manifest, for viewers such as Mirador',
    'document manifest ID',
    'document manifest ID -o manifest.json',
    'document manifest ID --page 3 -o text.json',
  )
    .option('-o, --output <file>', 'save the manifest as this file')
    .option('--page <page>', 'the text of this page (number or id) instead: its lines as annotations')
    .action(
      run<{ output?: string; page?: string }>(async ({ client, out, options }, document = '') => {
        const connected = await client();
        const { output, page } = options;
        const content =
          page === undefined
            ? connected.stream(documentManifest, { document })
            : connected.stream(documentAnnotations, { document, page: readPage(page) });
        if (output !== undefined) {
          await saveFile(output, content);
          return out.say(`saved ${output}`);
        }
        const { id } = JSON.parse(await text(content));
        if (out.json) out.object({ address: id });
        else out.say(id);
      }),
    );

  command(
    group,
    'image <document> <page>',
    'Save the image of a page, or a part of it, as JPEG',
    'document image ID 1 -o page.jpg --size 800,',
    'document image ID 1 -o part.jpg --region 0,0,1024,1024',
    'document image ID 1 --info',
  )
    .option('-o, --output <file>', 'file for the image (default: page-NUMBER.jpg)')
    .option('--region <region>', 'full, square, or x,y,w,h in pixels', 'full')
    .option('--size <size>', 'max (4096 pixels at most), or `w,` or `,h` or `w,h` or `!w,h` in pixels', 'max')
    .option('--thumbnail', 'the stored small image instead: at most 320 pixels high and wide')
    .option('--view', 'the stored image for the screen instead: at most 2,000 pixels high and wide')
    .option('--info', 'print what viewers read about the image instead (info.json)')
    .action(
      run<ImageOptions, [string, string]>(async ({ client, out, options }, document = '', named = '') => {
        const connected = await client();
        const page = readPage(named);
        if (options.info)
          return out.object(JSON.parse(await text(connected.stream(documentImageInfo, { document, page }))));
        const path = options.output ?? `page-${page}.jpg`;
        const { region, size } = options;
        const content = options.thumbnail
          ? connected.stream(documentThumbnail, { document, page })
          : options.view
            ? connected.stream(documentView, { document, page })
            : connected.stream(documentImage, { document, page, region, size });
        await saveFile(path, content);
        out.say(`saved ${path}`);
      }),
    );
};

function readPage(named: string): number | string {
  return /^\d+$/.test(named) ? Number(named) : named;
}
