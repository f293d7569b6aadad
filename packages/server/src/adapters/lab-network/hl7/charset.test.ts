import { describe, expect, it } from 'vitest';
import { UnreadableMessageError } from '../protocol.ts';
import { decodeMessage } from './charset.ts';
import { readCodedElement } from './fields.ts';
import { createFieldReader, parseMessage } from './syntax.ts';

const head = (declared: string) =>
  `MSH|^~\\&|LIS|LAB|US|HERE|20260302||ORU^R01|M1|P|2.5.1||||||${declared}\r`;
const decode = (declared: string, ...bytes: number[]) =>
  decodeMessage(Buffer.concat([Buffer.from(head(declared)), Buffer.from(bytes)])).slice(
    head(declared).length,
  );
const utf8 = (text: string) => [...Buffer.from(text)];

describe('the character set of a message', () => {
  // prettier-ignore
  it.each([
    ['8859/1',                [0x4d, 0xfc],             'Mü'],
    ['ISO 8859-1',            [0x4d, 0xfc],             'Mü'],
    ['ISO_8859-1',            [0x4d, 0xfc],             'Mü'],
    ['8859/1',                [0x93, 0x80, 0x94],       '“€”'],
    ['8859/15',               [0xa4],                   '€'],
    ['8859/2',                [0xb3, 0xf3, 0x64, 0xbc], 'łódź'],
    ['8859/9',                [0xfe, 0xfd],             'şı'],
    ['8859/5',                [0xb8],                   'И'],
    ['8859/7',                [0xe1],                   'α'],
    ['CP1252',                [0x80],                   '€'],
    ['windows-1252',          [0x80],                   '€'],
    ['WINDOWS-1250',          [0x8a],                   'Š'],
    ['BIG5',                  [0xa5, 0x5c, 0xa4, 0xa4], '功中'],
    ['BIG-5',                 [0xa4, 0xa4],             '中'],
    ['GB 18030-2000',         [0xd6, 0xd0],             '中'],
    ['ISO IR87',              [0x1b, 0x24, 0x42, 0x3b, 0x33, 0x1b, 0x28, 0x42], '山'],
    ['KS X 1001',             [0xb1, 0xe8],             '김'],
    ['',                      [0x4d, 0xfc],             'Mü'],
    ['ASCII',                 [0x4d, 0xfc],             'Mü'],
    ['ASCII~8859/2',          [0xb3],                   'ł'],
    ['~8859/2',               [0xb3],                   'ł'],
    ['8859/7~8859/2',         [0xd2],                   'Ň'],
    ['UNICODE UTF-8~8859/1',  [0x4d, 0xfc],             'Mü'],
    ['UNKNOWN-8~8859/2',      [0xb3],                   'ł'],
  ] as const)('%j decodes the bytes %j as %s', (declared, bytes, text) => {
    expect(decode(declared, ...bytes)).toBe(text);
  });

  it.each(['8859/1', 'CP1252', '', 'ASCII', 'BIG5', 'LATIN-42', 'UNICODE'])(
    '%j that is in truth UTF-8 is read as UTF-8',
    (declared) => {
      expect(decode(declared, ...utf8('Zoë Ångström'))).toBe('Zoë Ångström');
    },
  );

  it('does not matter where every byte is ASCII', () => {
    expect(decode('LATIN-42', ...utf8('Doe'))).toBe('Doe');
    expect(decode('UNICODE UTF-16', ...utf8('Doe'))).toBe('Doe');
  });

  it('is declared in the header also behind a byte order mark and blanks', () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFF \r\n' + head('8859/2')), Buffer.of(0xb3)]);
    expect(decodeMessage(bytes)).toContain('ł');
  });

  it('is refused by name if it is unknown and the bytes are not UTF-8', () => {
    expect(() => decode('LATIN-42', 0xfc)).toThrow(UnreadableMessageError);
    expect(() => decode('LATIN-42', 0xfc)).toThrow(/MSH-18.*LATIN-42/);
    expect(() => decode('UNICODE UTF-8', 0xff)).toThrow(/UTF-8/);
  });
});

describe('an escaped byte', () => {
  const readName = (declared: string, name: string) => {
    const parsed = parseMessage(Buffer.from(`${head(declared)}PID|1||7||${name}^Ada^L`));
    return createFieldReader(parsed).get(parsed.segments[1], 5);
  };
  // prettier-ignore
  it.each([
    ['8859/2',        '\\XB3\\ukasz',               'łukasz'],
    ['8859/5',        '\\XB8\\ванов',               'Иванов'],
    ['WINDOWS-1251',  '\\XC8\\\\XE2\\\\XE0\\\\XED\\',     'Иван'],
    ['8859/1',        'M\\XFC\\ller',               'Müller'],
    ['8859/1',        'M\\XC3BC\\ller',             'Müller'],
    ['8859/1',        'M\\XC3\\\\XBC\\ller',          'Müller'],
    ['UNICODE UTF-8', 'M\\XC3\\\\xbc\\ller',          'Müller'],
    ['',              'M\\XFC\\ller',               'Müller'],
    ['ASCII~8859/2',  '\\XB3\\ukasz',               'łukasz'],
    ['BIG5',          '\\XA4A4\\',                  '中'],
    ['ISO IR87',      '\\X1B24423B331B2842\\',      '山'],
    ['8859/1',        'a\\X41\\b\\X42\\c',            'aAbBc'],
    ['8859/1',        'A\\X7C5E\\B',                'A|^B'],
  ])('is of the declared set: %s %s', (declared, raw, name) => expect(readName(declared, raw)).toBe(name));

  // prettier-ignore
  it.each([
    ['UNICODE UTF-8', 'M\\XFC\\ller'],                    // no UTF-8
    ['8859/1',        '\\C2D42\\\\XB3\\ukasz'],             // Latin 2 from here on
    ['8859/1',        '\\M2442\\yama'],
  ])('that is of no declared set is shown as it was sent: %s %s', (declared, raw) => {
    const read = readName(declared, raw);
    expect(read).toContain(raw.slice(0, raw.indexOf('\\', raw.indexOf('\\') + 1) + 1));
  });

  it('goes through the codes of tests, too', () => {
    const parsed = parseMessage(Buffer.from(`${head('8859/2')}OBX|1|NM|G1^Bia\\XB3\\ko^L||1`));
    expect(readCodedElement(createFieldReader(parsed), 'G1^Bia\\XB3\\ko^L').name).toBe('Białko');
  });
});
