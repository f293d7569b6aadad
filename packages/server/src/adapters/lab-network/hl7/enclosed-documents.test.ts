import { describe, expect, it } from 'vitest';
import { readReports } from './read-report.ts';

const MSH = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000-0500||ORU^R01^ORU_R01|M1|P|2.5.1';
const OBR = 'OBR|1|PLACER|FILLER|100^Panel^L|||202603010800|||||||20260301||||||||20260302|||F';
const at = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const read = (value: string, type = 'ED') => {
  const text = [MSH, OBR, `OBX|1|${type}|DOC^Report^L||${value}||||||F`].join('\r');
  return readReports(Buffer.from(text), at)[0];
};
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const PDF = '%PDF-1.4 a report that is long enough to be split %%EOF';
const whole = base64(PDF);

describe('an enclosed document', () => {
  // prettier-ignore
  it.each([
    ['a PDF',                      `^application^pdf^Base64^${whole}`,                       'application/pdf', PDF],
    ['a PDF of another spelling',  `LIS^AP^PDF^BASE64^${whole}`,                             'application/pdf', PDF],
    ['no declared encoding',       `^application^pdf^^${whole}`,                             'application/pdf', PDF],
    ['repetitions of data',        `^application^pdf^Base64^${whole.slice(0, 21)}~${whole.slice(21)}`, 'application/pdf', PDF],
    ['whole repetitions',          `^application^pdf^Base64^${whole.slice(0, 20)}~^application^pdf^Base64^${whole.slice(20)}`, 'application/pdf', PDF],
    ['pieces of their own padding', `^application^pdf^Base64^${base64(PDF.slice(0, 10))}~${base64(PDF.slice(10))}`, 'application/pdf', PDF],
    ['components of data',         `^application^pdf^Base64^${whole.slice(0, 30)}^${whole.slice(30)}`, 'application/pdf', PDF],
    ['escaped line breaks',        `^application^pdf^Base64^${whole.slice(0, 8)}\\.br\\${whole.slice(8)}`, 'application/pdf', PDF],
    ['hexadecimal digits',         `^application^pdf^Hex^${Buffer.from(PDF).toString('hex')}`, 'application/pdf', PDF],
    ['text as it is',              '^TEXT^PLAIN^A^No growth \\T\\ no doubt',                 'text/plain',      'No growth & no doubt'],
    ['RTF',                        `^application^rtf^Base64^${base64('{\\rtf1 x}')}`,        'application/rtf', '{\\rtf1 x}'],
    ['a wrong type',               `^text^html^Base64^${whole}`,                             'application/pdf', PDF],
  ])('of %s is read', (_what, value, mediaType, content) => {
    const [document] = read(value)?.documents ?? [];
    expect(document).toMatchObject({ title: 'Report', mediaType, test: { code: '100' } });
    expect(document?.content?.toString()).toBe(content);
  });

  it('of an image is read', () => {
    const png = Buffer.from('89504e470d0a1a0a00000000', 'hex');
    expect(read(`^image^png^Base64^${base64(png)}`)?.documents).toMatchObject([{ mediaType: 'image/png' }]);
  });

  it.each([
    ['nothing', '^application^pdf^Base64^'],
    ['a program', `^application^octet-stream^Base64^${base64(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))}`],
    ['damaged data', '^application^pdf^Base64^JVBERi0*'],
  ])('of %s is a note', (_what, value) => {
    const report = read(value);
    expect(report?.documents).toBeUndefined();
    expect(report?.testNotes).toMatchObject([
      { note: expect.stringContaining('could not be read (Report)') },
    ]);
  });
});

describe('a document in several OBX segments', () => {
  const OTHER = '%PDF-1.7 another report, which is complete %%EOF';
  const ed = (data: string) => `^application^pdf^Base64^${data}`;
  const [a, b, c] = [whole.slice(0, 21), whole.slice(21, 46), whole.slice(46)];
  const [own1, own2] = [base64(PDF.slice(0, 20)), base64(PDF.slice(20))];
  /** Each row: OBX-1, OBX-3, OBX-4, OBX-5. */
  const readParts = (rows: readonly (readonly [number, string, string, string])[]) => {
    const obx = rows.map(([set, code, sub, value]) => `OBX|${set}|ED|${code}|${sub}|${value}||||||F`);
    const [report] = readReports(Buffer.from([MSH, OBR, ...obx].join('\r')), at);
    return {
      files: (report?.documents ?? []).map(({ content }) => content?.toString()),
      notes: (report?.testNotes ?? [])
        .map(({ note }) => note)
        .filter((note) => !note.startsWith('Reported in')),
    };
  };
  const D = 'DOC^Report^L';
  // prettier-ignore
  it.each<[string, readonly (readonly [number, string, string, string])[], readonly string[]]>([
    ['with increasing OBX-4',                     [[1, D, '1', ed(a)], [2, D, '2', ed(b)], [3, D, '3', ed(c)]], [PDF]],
    ['in another order than their OBX-4',         [[1, D, '2', ed(b)], [2, D, '1', ed(a)], [3, D, '3', ed(c)]], [PDF]],
    ['with OBX-4 of two levels',                  [[1, D, '1.1', ed(a)], [2, D, '1.2', ed(b)], [3, D, '1.3', ed(c)]], [PDF]],
    ['with increasing set ids alone',             [[1, D, '', ed(a)], [2, D, '', ed(b)], [3, D, '', ed(c)]],    [PDF]],
    ['in another order than their set ids',       [[3, D, '', ed(c)], [1, D, '', ed(a)], [2, D, '', ed(b)]],    [PDF]],
    ['with one OBX-4 for all',                    [[1, D, '1', ed(a)], [2, D, '1', ed(b)], [3, D, '1', ed(c)]], [PDF]],
    ['with parts that do not repeat the type',    [[1, D, '1', ed(a)], [2, D, '2', `^^^^${b}`], [3, D, '3', c]], [PDF]],
    ['with parts that end in padding',            [[1, D, '1', ed(own1)], [2, D, '2', ed(own2)]],               [PDF]],
    ['that are complete, side by side',           [[1, D, '1', ed(whole)], [2, D, '2', ed(base64(OTHER))]],     [PDF, OTHER]],
    ['that are complete, and one of two parts',   [[1, D, '1', ed(base64(OTHER))], [2, D, '2', ed(a)], [3, D, '3', ed(b + c)]], [OTHER, PDF]],
    ['of two documents with their own numbers',   [[1, D, '1', ed(a)], [2, D, '2', ed(b + c)], [1, D, '1', ed(base64(OTHER).slice(0, 30))], [2, D, '2', ed(base64(OTHER).slice(30))]], [PDF, OTHER]],
    ['of two codes, mixed',                       [[1, D, '1', ed(a)], [2, 'D2^Other^L', '1', ed(base64(OTHER))], [3, D, '2', ed(b + c)]], [PDF, OTHER]],
    ['of text, side by side',                     [[1, D, '1', '^TEXT^PLAIN^A^First'], [2, D, '2', '^TEXT^PLAIN^A^Second']], ['First', 'Second']],
    ['of a file and a text',                      [[1, D, '1', ed(whole)], [2, D, '2', `^text^plain^Base64^${base64('A remark')}`]], [PDF, 'A remark']],
  ])('%s', (_what, rows, files) => expect(readParts(rows)).toEqual({ files, notes: [] }));

  it('of which one is missing is not shown', () =>
    expect(
      readParts([
        [1, D, '1', ed(a)],
        [2, D, '3', ed(c)],
      ]),
    ).toEqual({
      files: [],
      notes: [expect.stringContaining('could not be read (Report): a part of it is missing')],
    }));

  it('without its beginning is not shown', () =>
    expect(readParts([[1, D, '2', ed(base64(Buffer.from([0, 1, 2, 3])))]])).toMatchObject({
      files: [],
      notes: [expect.stringContaining('could not be read')],
    }));

  it('without its end is shown with a note', () => {
    const begun = PDF.slice(0, -5);
    expect(readParts([[1, D, '1', ed(base64(begun))]])).toEqual({
      files: [begun],
      notes: ['The document Report seems to be incomplete: its end is missing.'],
    });
  });
});
