import { readFile as readBytesOf, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  appleDocument,
  appleRecord,
  fitRun,
  gpxRun,
  openFolder,
  readBytes,
  readPath,
  START,
  tcxRun,
  writeAppleZip,
} from '../../../test/wearable-files.ts';
import { UnreadableFile } from './files.ts';

let folder: Awaited<ReturnType<typeof openFolder>>;
let zip: Buffer;
const heart = appleRecord('HKQuantityTypeIdentifierHeartRate', {
  value: 60,
  unit: 'count/min',
  start: START,
});
beforeAll(async () => {
  folder = await openFolder();
  await writeAppleZip(folder.path('good.zip'), { document: appleDocument([heart]) });
  zip = await readBytesOf(folder.path('good.zip'));
});
afterAll(() => folder.close());

const refusal = async (bytes: Buffer | string): Promise<string> => {
  try {
    const { readings } = await readBytes(bytes, folder);
    return `read ${readings.length}`;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
};

/** Rethrows errors other than rejections. */
const endOf = (path: string): Promise<'read' | 'refused'> =>
  readPath(path).then(
    () => 'read',
    (error: unknown) => {
      if (error instanceof UnreadableFile) return 'refused';
      throw error;
    },
  );

const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
  return copy;
};

const LAUGHS = `<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY f SYSTEM "file:///etc/passwd">]><gpx creator="x"><trk><name>&b;&f;</name></trk></gpx>`;

describe('a broken file is rejected with a position', () => {
  // prettier-ignore
  const CASES: [string, () => Buffer | string, RegExp][] = [
    ['nothing in it',           () => '',                                     /^the file is empty/],
    ['something else',          () => 'hello',                                /^byte 0: unsupported format/],
    ['another document',        () => '<html></html>',                        /^byte 0: unsupported format/],
    ['FIT cut off',             () => fitRun().subarray(0, 900),              /^byte 900: the file is truncated: \d+ bytes are missing/],
    ['FIT with a changed byte', () => changed(fitRun(), 400),                 /^byte \d+: the checksum is 0x[0-9a-f]{4}, but the file states 0x/],
    ['TCX cut off',             () => tcxRun().slice(0, 5000),                /^line \d+, column \d+: not readable as XML: unclosed tag/],
    ['GPX with a wrong tag',    () => gpxRun().replace('</ele>', '</elf>'),   /^line 5, column \d+: not readable as XML/],
    ['a billion laughs',        () => LAUGHS,                                 /^line 2, column \d+: not readable as XML: undefined entity/],
    ['an endless element',      () => `<gpx a="${'x'.repeat(2_000_000)}"/>`,  /more than 1048576 characters without an element/],
    ['elements without end',    () => '<gpx>'.repeat(1000),                   /elements nested deeper than 64/],
    ['a lap of 10^300 s', () => tcxRun().replace('<TotalTimeSeconds>60', '<TotalTimeSeconds>1e300'), /^read 3$/],
    ['gzip cut off',            () => gzipSync(gpxRun()).subarray(0, 700),    /^byte 700: the gzip stream is broken/],
    ['a zip cut off',           () => zip.subarray(0, zip.length - 30),       /^the archive: /],
    ['a zip of something else', () => Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]), /^the archive: /],
  ];
  for (const [name, bytes, expected] of CASES) {
    it(`${name}`, async () => {
      expect(await refusal(bytes())).toMatch(expected);
    });
  }

  it('an archive whose checksum is wrong', async () => {
    const directory = zip.indexOf('PK\u0001\u0002', 0, 'latin1');
    expect(await refusal(changed(zip, directory + 16))).toMatch(/Export.xml: the checksum of the entry/);
  });

  it('an archive with path traversal', async () => {
    const text = zip
      .toString('latin1')
      .replaceAll('apple_health_export/Export.xml', '../../../../../../tmp/abcd.xml');
    expect(await refusal(Buffer.from(text, 'latin1'))).toMatch(
      /^the directory of the archive: invalid relative path/,
    );
  });

  it('a zip bomb', async () => {
    expect(await refusal(await bomb(65 * 1024 * 1024))).toMatch(/compressed more than 200 times/);
  });

  it('an archive without health data', async () => {
    await writeAppleZip(folder.path('other.zip'), { document: '<ClinicalDocument/>' });
    expect(await refusal(await readBytesOf(folder.path('other.zip')))).toMatch(/not an Apple Health export/);
  });
});

/** A document that consists almost only of blanks. */
async function bomb(bytes: number): Promise<Buffer> {
  const document = `<HealthData>${' '.repeat(bytes)}</HealthData>`;
  await writeAppleZip(folder.path('bomb.zip'), { document });
  return readBytesOf(folder.path('bomb.zip'));
}

describe('valid data before a fault is kept', () => {
  it('the first of two chained FIT files', async () => {
    const both = Buffer.concat([fitRun(), fitRun({ start: START + 3_600_000 }).subarray(0, 700)]);
    const { readings, report } = await readBytes(both, folder);
    expect(readings.filter(({ kind }) => kind === 'summary')).toHaveLength(1);
    expect(report.faults).toMatchObject([
      { place: expect.stringMatching(/^byte \d+$/), reason: expect.stringContaining('truncated') },
    ]);
  });

  it('a planned track is reported next to a recorded one', async () => {
    const planned = '<trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>';
    const { readings, report } = await readBytes(gpxRun().replace('</gpx>', planned), folder);
    expect(readings).toHaveLength(3);
    expect(report.faults).toMatchObject([{ reason: expect.stringContaining('planned') }]);
  });

  it('a workout without its route file is kept', async () => {
    const { appleWorkout } = await import('../../../test/wearable-files.ts');
    await writeAppleZip(folder.path('no-route.zip'), {
      document: appleDocument([appleWorkout(START, 1, '../../etc/passwd')]),
    });
    const { readings, report } = await readPath(folder.path('no-route.zip'));
    expect(readings.filter((one) => one.kind === 'summary' && one.resource === 'workouts')).toHaveLength(1);
    expect(report.faults).toMatchObject([{ reason: expect.stringContaining('not in the archive') }]);
  });
});

it('never crashes on random changes', async () => {
  const seeds = [
    fitRun({ seconds: 5 }),
    Buffer.from(tcxRun({ seconds: 3 })),
    Buffer.from(gpxRun({ seconds: 3 })),
    zip,
  ];
  const hurt = fc.tuple(
    fc.integer({ min: 0, max: seeds.length - 1 }),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 6 }),
    fc.option(fc.nat()),
  );
  await fc.assert(
    fc.asyncProperty(hurt, async ([index, changes, cut]) => {
      const bytes = Buffer.from(seeds[index] ?? Buffer.alloc(0));
      for (const [at, value] of changes) bytes.writeUInt8(value, at % bytes.length);
      const some = cut === null ? bytes : bytes.subarray(0, cut % bytes.length);
      const path = folder.path('hurt');
      await writeFile(path, some);
      expect(await endOf(path)).toMatch(/^re/);
    }),
    { numRuns: 300 },
  );
});

it('never crashes on FIT files with random records and a valid checksum', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (rubbish) => {
      const good = fitRun({ seconds: 2 });
      const data = Buffer.concat([good.subarray(14, -2), rubbish]);
      const path = folder.path('rubbish');
      await writeFile(path, fitOf(data));
      expect(await endOf(path)).toMatch(/^re/);
    }),
    { numRuns: 200 },
  );
});

function fitOf(data: Buffer): Buffer {
  const header = Buffer.from([14, 0x20, 0, 0, 0, 0, 0, 0, 0x2e, 0x46, 0x49, 0x54, 0, 0]);
  header.writeUInt32LE(data.length, 4);
  const whole = Buffer.concat([header, data]);
  let crc = 0;
  for (const byte of whole) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return Buffer.concat([whole, Buffer.of(crc & 0xff, crc >> 8)]);
}
