import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { putFor } from '../../engine/testing/put-for.ts';
import { closeInReverse } from '../../server/testing/close-in-reverse.ts';
import { makePipeline } from '../../server/testing/owned-things.ts';
import { type As, type RunningServer, runServer } from '../../server/testing/running-server.ts';
import { documentQueries } from '../database/database.ts';
import { documentOwner } from '../documents/document.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { createTextIndex } from '../search/text-index.ts';
import { pageOf } from '../testing/running-transcription.ts';

const sharp = await loadSharp();

/** Left half red, right half blue; a camera lay on its side, so it is stored turned. */
async function photo(): Promise<Buffer> {
  const blue = { create: { width: 500, height: 1400, channels: 3 as const, background: '#0000ff' } };
  const upright = await sharp({ create: { ...blue.create, width: 1000, background: '#ff0000' } })
    .composite([
      {
        input: await sharp(blue).png().toBuffer(),
        left: 500,
        top: 0,
      },
    ])
    .png()
    .toBuffer();
  return sharp(upright).rotate(-90).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer();
}

describe('a document in a IIIF viewer', () => {
  const scope = closeInReverse({ after });
  let server: RunningServer;
  let anna: { name: string; key: string };
  let bert: { name: string; key: string };
  let document: string;
  before(async () => {
    server = await runServer(scope);
    anna = await server.signUp('anna', 'user');
    bert = await server.signUp('bert', 'user');
    await makePipeline(server, anna, '');
    const made = await server.call('document.create', { name: 'Kronika', pipeline: 'anna/pipeline' }, anna);
    document = made.body.id;
    await addPage({ id: 'first', position: 0 }, { image: await photo(), text: 'naše řeč' });
    await addPage({ id: 'broken', position: 1 }, { image: Buffer.from('no image at all') });
    await addPage({ id: 'torn', position: 1_000_000 }, {});
  });

  async function addPage(
    { id, position }: { id: string; position: number },
    { image, text }: { image?: Buffer; text?: string },
  ) {
    const { engine } = server;
    const queries = documentQueries(engine);
    const owner = documentOwner(document);
    const stored = image && (await putFor(engine, owner, image));
    await queries
      .insertInto('transcription_page')
      .values({
        id,
        document,
        position,
        source: position < 10 ? 'a' : 'b',
        name: 'kronika.tif',
        part: 1,
        state: text === undefined ? 'failed' : 'done',
        error: stored ? null : 'it is torn',
        log: '',
        hash: stored?.hash ?? null,
        size: stored?.size ?? 0,
        textHash: null,
        textSize: 0,
        ...(stored && { width: 1000, height: 1400 }),
        request: null,
        generation: 1,
        reuseKey: null,
        createdAt: 0,
        endedAt: 0,
      })
      .execute();
    if (text === undefined) return;
    const page = { ...pageOf(text), language: 'ces' };
    const { hash, size } = await putFor(engine, owner, Buffer.from(JSON.stringify(page)));
    await queries
      .insertInto('transcription_pageFile')
      .values({ page: id, name: 'page.json', hash, size })
      .execute();
    await createTextIndex(engine.database.withTables()).put(queries, {
      page: id,
      document,
      owner: 'anna',
      text,
    });
  }

  /** The path behind the server's address. */
  const at = (url: string) => url.replace(server.localUrl, '');
  const get = async (path: string, as: As = anna) => {
    const { status, headers, text } = await server.send('GET', path, as);
    return { status, headers, json: headers.get('content-type')?.includes('json') ? JSON.parse(text) : {} };
  };
  const manifestPath = () => `/transcription/iiif/${document}/manifest`;
  const download = async (path: string) => {
    const response = await fetch(`${server.localUrl}${path}`, {
      headers: { authorization: `Bearer ${anna.key}` },
    });
    assert.equal(response.status, 200, path);
    return Buffer.from(await response.arrayBuffer());
  };

  test('the manifest has what Presentation 3 demands, a canvas for every page, and the sources as ranges', async () => {
    const { status, headers, json } = await get(manifestPath());
    assert.equal(status, 200);
    assert.equal(
      headers.get('content-type'),
      'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
    );
    assert.equal(json['@context'], 'http://iiif.io/api/presentation/3/context.json');
    assert.deepEqual([json.id, json.type], [`${server.localUrl}${manifestPath()}`, 'Manifest']);
    assert.deepEqual(json.label, { none: ['Kronika'] });
    assert.equal(json.items.length, 3);
    for (const [index, canvas] of json.items.entries()) {
      assert.equal(canvas.type, 'Canvas');
      assert.match(canvas.id, /^http:/);
      assert.deepEqual(canvas.label, { none: [String(index + 1)] });
      assert.ok(canvas.width > 0 && canvas.height > 0);
    }
    const [first, , torn] = json.items;
    assert.deepEqual([first.width, first.height], [1000, 1400]);
    const [{ items, type }] = first.items;
    assert.equal(type, 'AnnotationPage');
    const [painting] = items;
    assert.deepEqual(
      [painting.type, painting.motivation, painting.target],
      ['Annotation', 'painting', first.id],
    );
    assert.deepEqual([painting.body.type, painting.body.format], ['Image', 'image/jpeg']);
    assert.deepEqual(painting.body.service, [
      {
        id: painting.body.id.replace('/full/max/0/default.jpg', ''),
        type: 'ImageService3',
        profile: 'level1',
      },
    ]);
    assert.deepEqual(torn.summary, { none: ['it is torn'] }, 'a page without an image is not left out');
    const canvases = json.structures[0].items.map((range: { items: { id: string }[] }) =>
      range.items.map(({ id }) => id),
    );
    assert.deepEqual(canvases, [
      json.items.slice(0, 2).map(({ id }: { id: string }) => id),
      [json.items[2].id],
    ]);
  });

  test('info.json describes the image, and its tiles show it as the owner sees it', async () => {
    const { json: manifest } = await get(manifestPath());
    const [{ id: service }] = manifest.items[0].items[0].items[0].body.service;
    for (const address of [`${at(service)}/info.json`, at(service)]) {
      const { headers, json } = await get(address);
      assert.match(
        headers.get('content-type') ?? '',
        /^application\/ld\+json;profile="http:\/\/iiif.io\/api\/image\/3/,
      );
      const { '@context': context, id, type, protocol, profile, width, height } = json;
      assert.deepEqual(
        { context, id, type, protocol, profile, width, height },
        {
          context: 'http://iiif.io/api/image/3/context.json',
          id: service,
          type: 'ImageService3',
          protocol: 'http://iiif.io/api/image',
          profile: 'level1',
          width: 1000,
          height: 1400,
        },
      );
    }
    const sizeAndColour = async (path: string) => {
      const image = sharp(await download(`${at(service)}/${path}`));
      const { format, width, height } = await image.metadata();
      const { channels } = await image.stats();
      return { format, width, height, red: Math.round(channels[0]?.mean ?? 0) };
    };
    // From the left, from the right, and over both; the first is a thumbnail made without all pixels.
    const near = (red: number, expected: number) => assert.ok(Math.abs(red - expected) < 8, `red is ${red}`);
    for (const [path, width, height, red] of [
      ['full/100,/0/default.jpg', 100, 140, 127],
      ['0,0,400,1400/200,700/0/default.jpg', 200, 700, 254],
      ['600,0,1024,1024/max/0/default.jpg', 400, 1024, 0],
      ['full/max/0/default.jpg', 1000, 1400, 127],
      ['square/!50,50/0/default.jpg', 50, 50, 127],
    ] as const) {
      const shown = await sizeAndColour(path);
      assert.deepEqual([shown.format, shown.width, shown.height], ['jpeg', width, height], path);
      near(shown.red, red);
    }
  });

  test('a tile that a browser has is not sent again, to the owner alone', async () => {
    const tile = `/transcription/iiif/${document}/first/full/100,/0/default.jpg`;
    const { headers } = await get(tile);
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{43}"$/);
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    const again = (as: As, known = etag) =>
      server.send('GET', tile, { ...as, headers: { 'if-none-match': known } });
    const unchanged = await again(anna, `"other", W/${etag}`);
    assert.deepEqual([unchanged.status, unchanged.text], [304, '']);
    assert.equal(unchanged.headers.get('etag'), etag);
    assert.equal((await again(anna, '"other"')).status, 200);
    assert.equal((await again(bert)).status, 404);
    assert.equal((await again({})).status, 401);
    const other = await get(tile.replace('100,', '90,'));
    assert.notEqual(other.headers.get('etag'), etag);
  });

  test('what is not offered, or not there, is refused', async () => {
    const statusOf = async (path: string) => (await get(`/transcription/iiif/${document}/${path}`)).status;
    for (const path of [
      'first/full/max/90/default.jpg',
      'first/full/max/0/bitonal.jpg',
      'first/full/max/0/default.png',
      'first/full/2000,/0/default.jpg',
      'first/5000,0,1,1/max/0/default.jpg',
    ])
      assert.equal(await statusOf(path), 400, path);
    assert.equal(await statusOf('torn/info.json'), 404);
    assert.equal(await statusOf('nothing/info.json'), 404);
    const broken = await get(`/transcription/iiif/${document}/broken/full/max/0/default.jpg`);
    assert.equal(broken.status, 409);
    assert.match(broken.json.error.message, /kronika\.tif can't be shown: the file is not an image/);
    assert.equal(await statusOf('first/full/10,/0/default.jpg'), 200, 'one bad image spoils nothing');
  });

  test('lines are annotations of the canvas, where search finds their words', async () => {
    const { json: manifest } = await get(manifestPath());
    const [canvas] = manifest.items;
    const { json } = await get(at(canvas.annotations[0].id));
    assert.equal(json.type, 'AnnotationPage');
    assert.equal(json.id, canvas.annotations[0].id);
    const [line] = json.items;
    assert.deepEqual([line.type, line.motivation], ['Annotation', 'supplementing']);
    assert.deepEqual(line.body, {
      type: 'TextualBody',
      value: 'naše řeč',
      format: 'text/plain',
      language: 'cs',
    });
    assert.equal(line.target, `${canvas.id}#xywh=0,0,1000,50`);
    const { body } = await server.call('search.text', { words: 'rec', places: true }, anna);
    assert.deepEqual(body.hits[0].places[0].box, { left: 100, top: 0, width: 90, height: 50 });
    assert.deepEqual([body.hits[0].width, body.hits[0].height], [canvas.width, canvas.height]);
  });

  test('only the owner sees any of it; pages of other sites need a key, not a cookie', async () => {
    for (const path of ['manifest', 'first/info.json', 'first/annotations', 'first/full/10,/0/default.jpg']) {
      const address = `/transcription/iiif/${document}/${path}`;
      assert.equal((await get(address, {})).status, 401);
      const foreign = await get(address, bert);
      assert.equal(foreign.status, 404);
      const own = await get(address);
      assert.equal(own.status, 200);
      for (const { headers } of [own, foreign]) {
        assert.equal(headers.get('access-control-allow-origin'), '*');
        assert.equal(headers.get('access-control-allow-credentials'), null);
      }
      const asked = await server.send('OPTIONS', address);
      assert.equal(asked.status, 204);
      assert.equal(asked.headers.get('access-control-allow-headers'), 'authorization');
    }
    const elsewhere = await server.call('document.manifest', { document }, anna);
    assert.equal(elsewhere.status, 200);
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), null, 'only where viewers look');
  });

  test('small images of pages from before are made when they are first asked for, stored, and then unchanged', async () => {
    const path = (verb: string) => `/api/v1/document/${verb}?document=${document}&page=first`;
    for (const [verb, size] of [
      ['thumbnail', [229, 320]],
      ['view', [1000, 1400]],
    ] as const) {
      const { width, height } = await sharp(await download(path(verb))).metadata();
      assert.deepEqual([width, height], size);
      const again = await get(path(verb));
      const etag = again.headers.get('etag');
      assert.ok(etag, 'it is stored now');
      const unchanged = await fetch(`${server.localUrl}${path(verb)}`, {
        headers: { authorization: `Bearer ${anna.key}`, 'if-none-match': etag },
      });
      assert.equal(unchanged.status, 304);
      assert.equal((await get(path(verb), bert)).status, 404);
      const owners = await server.engine.database.query
        .selectFrom('blobRef')
        .select('owner')
        .where('hash', '=', etag.replaceAll('"', ''))
        .execute();
      assert.deepEqual(owners, [{ owner: documentOwner(document) }]);
    }
    const missing = `/api/v1/document/thumbnail?document=${document}&page=torn`;
    assert.equal((await get(missing)).status, 404);
    const broken = `/api/v1/document/thumbnail?document=${document}&page=broken`;
    assert.equal((await get(broken)).status, 409);
  });
});
