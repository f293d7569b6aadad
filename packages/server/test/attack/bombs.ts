import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import yazl from 'yazl';
import { reportPdf } from '../report-upload.ts';

/** Where a bomb is sent. */
type BombTarget = 'wearable file' | 'lab report' | 'timeseries' | 'json';

export interface Bomb {
  readonly name: string;
  readonly target: BombTarget;
  readonly bytes: Buffer;
  /** The declared media type. */
  readonly type: string;
  readonly encoding?: 'gzip';
}

const MEGABYTE = 1024 ** 2;

/** Small files that unpack to much, or say that they do. `scale` multiplies what they unpack to. */
export async function makeBombs(scale: number): Promise<readonly Bomb[]> {
  const zeros = Buffer.alloc(32 * MEGABYTE * scale);
  return [
    {
      name: 'gzip of blank lines',
      target: 'timeseries',
      bytes: gzipSync(Buffer.alloc(4 * MEGABYTE * scale, '\n')),
      type: 'application/x-ndjson',
      encoding: 'gzip',
    },
    {
      name: 'gzip of zeros',
      target: 'timeseries',
      bytes: gzipSync(zeros),
      type: 'application/json',
      encoding: 'gzip',
    },
    {
      name: 'nested JSON',
      target: 'json',
      bytes: Buffer.from('['.repeat(500_000)),
      type: 'application/json',
    },
    {
      name: 'zip of zeros',
      target: 'wearable file',
      bytes: await zipOf({ 'export.xml': zeros }),
      type: 'application/zip',
    },
    {
      name: 'zip of many entries',
      target: 'wearable file',
      bytes: await zipOf(
        Object.fromEntries(Array.from({ length: 5000 * scale }, (_, n) => [`${n}.gpx`, Buffer.alloc(1)])),
      ),
      type: 'application/zip',
    },
    {
      name: 'XML entities',
      target: 'wearable file',
      bytes: Buffer.from(billionLaughs()),
      type: 'application/gpx+xml',
    },
    {
      name: 'external XML entity',
      target: 'wearable file',
      bytes: Buffer.from(
        '<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><trk><name>&x;</name></trk></gpx>',
      ),
      type: 'application/gpx+xml',
    },
    {
      name: 'deep XML',
      target: 'wearable file',
      bytes: Buffer.from(`<?xml version="1.0"?><gpx>${'<trk>'.repeat(200_000 * scale)}`),
      type: 'application/gpx+xml',
    },
    {
      name: 'PDF with a stream of zeros',
      target: 'lab report',
      bytes: pdfWithStream(deflateSync(zeros)),
      type: 'application/pdf',
    },
    {
      name: 'PDF whose pages contain themselves',
      target: 'lab report',
      bytes: Buffer.from(circularPdf()),
      type: 'application/pdf',
    },
    {
      name: 'PDF of a huge page',
      target: 'lab report',
      bytes: Buffer.from(
        (await reportPdf()).toString('latin1').replace(/\[0 0 612 792\]/, '[0 0 9e9 9e9]'),
        'latin1',
      ),
      type: 'application/pdf',
    },
    { name: 'PNG of huge dimensions', target: 'lab report', bytes: hugePng(60_000), type: 'image/png' },
    {
      name: 'PNG that unpacks to too much',
      target: 'lab report',
      bytes: hugePng(200, zeros),
      type: 'image/png',
    },
    { name: 'JPEG of huge dimensions', target: 'lab report', bytes: hugeJpeg(), type: 'image/jpeg' },
  ];
}

function zipOf(entries: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, bytes] of Object.entries(entries)) zip.addBuffer(bytes, name);
  zip.end();
  return collect(Readable.from(zip.outputStream as AsyncIterable<Buffer>));
}

async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function billionLaughs(): string {
  const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join(
    '',
  );
  return `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY e0 "ha">${entities}]><gpx><trk><name>&e9;</name></trk></gpx>`;
}

const pdfOf = (objects: readonly string[]): string =>
  `%PDF-1.7\n${objects.map((object, n) => `${n + 1} 0 obj\n${object}\nendobj\n`).join('')}` +
  `trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF`;

function pdfWithStream(content: Buffer): Buffer {
  const stream = `<</Length ${content.length}/Filter/FlateDecode>>\nstream\n${content.toString('latin1')}\nendstream`;
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>';
  return Buffer.from(
    pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 1/Kids[3 0 R]>>', page, stream]),
    'latin1',
  );
}

const circularPdf = (): string =>
  pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 99999999/Kids[2 0 R 2 0 R]/Parent 2 0 R>>']);

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function hugePng(side: number, pixels = Buffer.alloc(1000)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A baseline JPEG header of 65,500 by 65,500 pixels, without any. */
const hugeJpeg = (): Buffer =>
  Buffer.from([
    0xff, 0xd8, 0xff, 0xc0, 0x00, 0x11, 0x08, 0xff, 0xdc, 0xff, 0xdc, 0x03, 0x01, 0x22, 0x00, 0x02, 0x11,
    0x00, 0x03, 0x11, 0x00, 0xff, 0xd9,
  ]);
