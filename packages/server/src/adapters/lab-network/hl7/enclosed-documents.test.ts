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
const PDF = '%PDF-1.4 a report that is long enough to be split';
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
