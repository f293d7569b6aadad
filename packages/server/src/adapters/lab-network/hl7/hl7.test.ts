import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Requisition } from '../port.ts';
import { UnreadableMessageError, type OrderEnvelope, type ReportReadContext } from '../protocol.ts';
import { writeAcknowledgement, readAcknowledgement } from './acknowledge.ts';
import { splitMessages } from './batch.ts';
import { escapeText, unescapeText, DEFAULT_DELIMITERS } from './escape.ts';
import { wrapFrame, createFramer } from './frames.ts';
import { readHead } from './head.ts';
import { parseTimestamp, writeTimestamp } from './timestamp.ts';
import { createPlacerNumber } from './placer.ts';
import { readReports } from './read-report.ts';
import { parseMessage, createFieldReader } from './syntax.ts';
import { removeReports } from './remove-reports.ts';
import { writeCancellation, writeOrder } from './write-order.ts';

const at: ReportReadContext = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'America/New_York',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const MSH = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000-0500||ORU^R01^ORU_R01|M1|P|2.5.1';
const OBR = 'OBR|1|PLACER|FILLER|100^Panel^L|||202603010800|||||||20260301||||||||20260302|||F';
const read = (...lines: string[]) => readReports(Buffer.from([MSH, ...lines].join('\r')), at);
const one = (...lines: string[]) => {
  const [report] = read(...lines);
  if (!report) throw new Error('No report');
  return report;
};
function faultOf(bytes: Buffer): unknown {
  try {
    readReports(bytes, at);
    return undefined;
  } catch (error) {
    return error;
  }
}
const seen = (obx: string) => one(OBR, obx).observations[0];

describe('a result', () => {
  it('is read with its patient, ids and times', () => {
    const report = one(
      'PID|1||77^^^US||O\\T\\Brien&&^Ada^B||19851210|F|||1 Main St^^Troy^NY^12180',
      'NTE|1|L|About the patient',
      'ORC|RE|PLACER|FILLER|GROUP',
      OBR,
      'NTE|1|L|About the test~in two lines',
      'OBX|1|NM|G1^Glucose^L^2345-7^Glucose SerPl^LN||105|mg/dL|70-99|H~A|||F|||20260301090000|||||||||Lab One^^^^^^^^^05D0642827',
      'NTE|1|L|Fasting\\.br\\not known',
      'SPM|1|S-1&US^L-1&LAB||SER',
    );
    expect(report).toMatchObject({
      lab: 'labcorp',
      controlId: 'M1',
      placerOrderId: 'PLACER',
      sampleIds: ['PLACER', 'GROUP', 'S-1', 'L-1', 'FILLER'],
      status: 'final',
      patient: {
        firstName: 'Ada',
        lastName: 'O&Brien',
        dob: '1985-12-10',
        gender: 'female',
        patientId: '77',
      },
      collectedAt: new Date('2026-03-01T13:00:00Z'),
      receivedAt: new Date('2026-03-01T05:00:00Z'),
      reportedAt: new Date('2026-03-02T05:00:00Z'),
      laboratory: 'Lab One',
      clia: '05D0642827',
      notes: ['About the patient'],
      testNotes: [
        { test: { code: '100', name: 'Panel', loinc: null }, note: 'About the test\nin two lines' },
      ],
    });
    expect(report.observations).toEqual([
      {
        test: { code: '100', name: 'Panel', loinc: null },
        origin: {
          filler: 'FILLER',
          specimen: 'L-1',
          specimenType: 'SER',
          drawnAt: new Date('2026-03-01T13:00:00Z'),
        },
        code: 'G1',
        name: 'Glucose',
        loinc: '2345-7',
        form: 'number',
        value: '105',
        unit: 'mg/dL',
        referenceRange: '70-99',
        flags: ['H', 'A'],
        status: 'final',
        notes: ['Fasting\nnot known'],
        performingLaboratory: 'Lab One',
        observedAt: new Date('2026-03-01T14:00:00Z'),
      },
    ]);
  });

  it.each([
    ['^Curie^Marie^^^Dr.^MD', 'Dr. Marie Curie, MD'],
    ['77^Curie^Marie', 'Marie Curie'],
    ['', undefined],
  ])('names the laboratory director of OBX-25: %j', (field, director) => {
    const obx = `OBX|1|NM|G1^Glucose||5.7||||||F||||||||||||Lab One||${field}`;
    expect(one(OBR, obx).director).toBe(director);
  });

  // prettier-ignore
  it.each([
    ['NM|G1^Glucose||5.7',                         'number',     '5.7'],
    ['SN|G1^Glucose||<^1.2',                       'structured', '<1.2'],
    ['SN|G1^Glucose||=^600',                       'structured', '600'],
    ['SN|G1^Glucose||>=^600',                      'structured', '>=600'],
    ['SN|G1^Titre||^1^:^128',                      'structured', '1:128'],
    ['SN|G1^Cells||^0^-^5',                        'structured', '0-5'],
    ['ST|G1^Colour||Yellow',                       'text',       'Yellow'],
    ['TX|G1^Comment||First~Second',                'text',       'First\nSecond'],
    ['FT|G1^Comment||First\\.br\\Second\\.sp1\\x', 'text',       'First\nSecond\nx'],
    ['FT|G1^Comment||A\\X0D\\\\X0A\\B\\X0D0A\\C\\X0D\\D', 'text', 'A\nB\nC\nD'],
    ['ST|G1^Odd||5.0\\X00\\',                       'text',       '5.0'],
    ['CE|G1^HIV||NEG^Negative^L',                  'coded',      'Negative'],
    ['CWE|G1^HIV||260385009^^SCT^^^^^^Not seen',   'coded',      'Not seen'],
    ['CWE|G1^HIV||NEG',                            'coded',      'NEG'],
    ['|G1^Odd||5',                                 'text',       '5'],
    ['DT|G1^LMP||20260201',                        'text',       '2026-02-01'],
    ['DT|G1^LMP||202602',                          'text',       '2026-02'],
    ['TS|G1^Given||20260201083015.5-0500',         'text',       '2026-02-01 08:30:15.5 -0500'],
    ['DTM|G1^Given||202602010830',                 'text',       '2026-02-01 08:30'],
    ['TM|G1^Given||0830',                          'text',       '08:30'],
    ['DT|G1^LMP||unknown',                         'text',       'unknown'],
    ['NM|G1^Gone||',                               'number',     null],
    ['NM|G1^Gone||""',                             'number',     null],
    ['ST|G1^Mark||a\\F\\b\\S\\c\\T\\d\\R\\e\\E\\f', 'text',      'a|b^c&d~e\\f'],
    ['ST|G1^Bytes||\\XC3A9\\ \\X41\\',             'text',       'é A'],
  ])('%s is %s', (obx, form, value) => {
    expect(seen(`OBX|1|${obx}`)).toMatchObject({ form, value });
  });

  it('leaves an enclosed document in the message, and keeps its notes', () => {
    const document = 'OBX|1|ED|PDF^Report||^application^pdf^Base64^JVBERi0gJSVFT0Y=||||||F';
    const report = one(OBR, document, 'NTE|1|L|See the enclosed report', 'OBX|2|NM|G1||1');
    expect(report.observations.map(({ code }) => code)).toEqual(['G1']);
    expect(report.testNotes).toMatchObject([{ test: { code: '100' }, note: 'See the enclosed report' }]);
  });

  it('separates the isolates of a culture and their drugs', () => {
    const { observations } = one(
      OBR,
      'OBX|1|CWE|I^Isolate|1|E',
      'OBX|2|NM|A^Ampi|1.1|32',
      'OBX|3|NM|A^Ampi||4',
    );
    expect(observations.map(({ subId }) => subId)).toEqual(['1', '1.1', undefined]);
  });

  it('assigns notes on an order to that order, not to the previous result', () => {
    const reports = read(
      'ORC|RE|ONE',
      'OBR|1|ONE||100^Panel^L',
      'OBX|1|NM|G1||1',
      'ORC|RE|TWO',
      'NTE|1|L|About the second',
      'OBR|2|TWO||200^Test^L',
      'OBX|1|NM|T1||2',
    );
    expect(
      reports.map(({ testNotes, observations }) => [testNotes, observations.flatMap((each) => each.notes)]),
    ).toEqual([
      [undefined, []],
      [[{ test: { code: '200', name: 'Test', loinc: null }, note: 'About the second' }], []],
    ]);
  });

  // prettier-ignore
  it.each([
    ['one of two patients',          ['A'],      ['PID|1||1||B^B', 'OBR|1|B', 'OBX|1|TX|G||größer\\X0D\\', 'NTE|1||of B']],
    ['one of two orders',            ['B'],      ['PID|1||1||A^A', 'NTE|1||of A', 'ORC|RE|A', 'OBR|1|A', 'OBX|1|NM|G||1', 'ZZZ|a']],
  ])('can be without %s, the rest of it byte for byte', (_what, unwanted, wanted) => {
    const lines = ['PID|1||1||A^A', 'NTE|1||of A', 'ORC|RE|A', 'OBR|1|A', 'OBX|1|NM|G||1', 'ZZZ|a', 'PID|1||1||B^B', 'OBR|1|B', 'OBX|1|TX|G||größer\\X0D\\', 'NTE|1||of B'];
    for (const [ending, encoding] of [['\r', 'utf8'], ['\r\n', 'latin1'], ['\n\n', 'utf8']] as const) {
      const bytes = (some: readonly string[]) => Buffer.from([MSH, ...some, ''].join(ending), encoding);
      const left = removeReports(bytes(lines), at, ({ placerOrderId }) => unwanted.includes(placerOrderId ?? ''));
      expect(left).toEqual(bytes(wanted));
    }
  });

  it('is undefined without its only order', () => {
    expect(removeReports(Buffer.from([MSH, OBR].join('\r')), at, () => true)).toBeUndefined();
  });

  it('is one report if the PID repeats for the next test of the order', () => {
    const pid = (setId: number, name = 'Lovelace') => `PID|${setId}||77||${name}^Ada||19851210|F`;
    const tsh = ['OBR|1|PLACER|F2|200^TSH^L', 'OBX|1|NM|T1||2'];
    const glucose = [OBR, 'OBX|1|NM|G1||1'];
    const counts = (...lines: string[]) => read(...lines).map(({ observations }) => observations.length);
    expect(counts(pid(1), ...glucose, pid(2), ...tsh)).toEqual([2]);
    expect(counts(pid(1), ...glucose, pid(2, 'Byron'), ...tsh)).toEqual([1, 1]);
  });

  // prettier-ignore
  it.each([
    ['F', ['F', 'F'], 'final'],
    ['P', ['F', 'P'], 'partial'],
    ['C', ['F', 'F'], 'corrected'],
    ['F', ['F', 'C'], 'corrected'],
    ['A', ['F'],      'partial'],
    ['X', [],         'final'],
    ['',  ['F', 'P'], 'partial'],
    ['',  ['F'],      'final'],
  ])('with OBR-25 %s and OBX-11 %s is %s', (order, results, status) => {
    const obr = OBR.replace(/F$/, order);
    expect(one(obr, ...results.map((each) => `OBX|1|NM|G1||1||||||${each}`)).status).toBe(status);
  });

  it('is pending while any of its tests is, also by the results of that test', () => {
    const culture = [OBR.replace(/F$/, ''), 'OBX|1|ST|C1^Culture||No growth so far||||||P'];
    expect(one(OBR, 'OBX|1|NM|G1||1||||||F', ...culture).status).toBe('partial');
  });

  // prettier-ignore
  it.each([
    ['',  '',  'final'],
    ['F', '',  'final'],
    ['P', '',  'preliminary'],
    ['C', '',  'corrected'],
    ['X', '',  'cancelled'],
    ['',  'P', 'preliminary'],
    ['P', 'F', 'final'],
  ])('with OBR-25 %j and OBX-11 %j has a result that is %s', (order, result, status) => {
    const [observation] = one(OBR.replace(/F$/, order), `OBX|1|NM|G1||1||||||${result}`).observations;
    expect(observation?.status).toBe(status);
  });

  it('that corrects a test is pending while another test is', () => {
    const obr = (status: string) => OBR.replace(/F$/, status);
    const told = (...statuses: string[]) => {
      const { status, isPending = false } = one(...statuses.map(obr));
      return [status, isPending];
    };
    expect(told('C', 'P')).toEqual(['corrected', true]);
    expect(told('C', 'F')).toEqual(['corrected', false]);
    expect(told('F', 'P')).toEqual(['partial', false]);
  });

  it('is split by patient and order', () => {
    const reports = read('PID|1||A', OBR, 'OBX|1|NM|G1||1', OBR.replace('PLACER', 'OTHER'), 'PID|2||B', OBR);
    expect(reports.map(({ placerOrderId, patient }) => [placerOrderId, patient?.patientId])).toEqual([
      ['PLACER', 'A'],
      ['OTHER', 'A'],
      ['PLACER', 'B'],
    ]);
  });

  it('can have other delimiters, any line ends and unknown segments', () => {
    const text = [MSH, 'ZZZ|x|y', 'PID|1||77||Doe^Jane', OBR, 'OBX|1|CE|G1^G||P^Pos'].join('\r\n');
    const other = text.replaceAll('|', '%').replaceAll('^', '#').replace('#~\\&', '#@!*');
    for (const message of [text, other]) {
      const [report] = readReports(Buffer.from(message), at);
      expect(report).toMatchObject({ patient: { lastName: 'Doe' }, observations: [{ value: 'Pos' }] });
    }
  });

  // prettier-ignore
  it.each([
    ['',              'utf8',   'Müller'],
    ['',              'latin1', 'Müller'],
    ['UNICODE UTF-8', 'utf8',   'Müller'],
    ['8859/1',        'latin1', 'Müller'],
    ['ASCII',         'latin1', 'Muller'],
  ] as const)('is read in the character set %j as %s', (declared, encoding, name) => {
    const text = [`${MSH}||||||${declared}`, `PID|1||77||${name}`, OBR].join('\r');
    expect(readReports(Buffer.from(text, encoding), at)[0]?.patient?.lastName).toBe(name);
  });

  // prettier-ignore
  it.each([
    ['nothing',           Buffer.alloc(0)],
    ['no header',         Buffer.from('PID|1')],
    ['a header alone',    Buffer.from('MSH')],
    ['no delimiters',     Buffer.from('MSHABC')],
    ['one delimiter',     Buffer.from('MSH||||')],
    ['no OBR',            Buffer.from(MSH)],
    ['another message',   Buffer.from(MSH.replace('ORU^R01^ORU_R01', 'ADT^A01') + '\r' + OBR)],
    ['another standard',  Buffer.from(MSH.replace('2.5.1', '3.0') + '\r' + OBR)],
    ['a NUL',             Buffer.from(`${MSH}\r${OBR}\0`)],
    ['a false promise',   Buffer.concat([Buffer.from(`${MSH}||||||UNICODE UTF-8\r${OBR}`), Buffer.of(0xff)])],
    ['UTF-16',            Buffer.from(`${MSH}||||||UNICODE UTF-16\r${OBR}`, 'utf16le')],
  ])('that has %s is refused by a sentence', (_name, bytes) => {
    expect(() => readReports(bytes, at)).toThrow(UnreadableMessageError);
  });

  it('is parsed or rejected for any input, and reading the head never throws', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .string({ unit: fc.constantFrom('|', '^', '~', '\\', '&', '\r', 'A', '1', '"', 'é'), maxLength: 300 })
        .map((text) => Buffer.from(`${MSH}\r${OBR}\rOBX|1|${text}`)),
    );
    fc.assert(
      fc.property(anything, (bytes) => {
        readHead(bytes, 'hl7');
        readHead(bytes, 'fhir');
        expect(splitMessages(bytes).length).toBeGreaterThan(0);
        expect(faultOf(bytes)).not.toBeInstanceOf(TypeError);
        expect(faultOf(bytes) ?? new UnreadableMessageError()).toBeInstanceOf(UnreadableMessageError);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('text', () => {
  it('survives its escapes', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        // eslint-disable-next-line no-control-regex
        const printable = text.replace(/[\u0000-\u001f\u007f]/g, '');
        expect(unescapeText(escapeText(printable), DEFAULT_DELIMITERS)).toBe(printable);
      }),
    );
  });
});

describe('a timestamp', () => {
  // prettier-ignore
  it.each([
    ['2026',                    '2026-01-01T05:00:00.000Z'],
    ['202603',                  '2026-03-01T05:00:00.000Z'],
    ['20260702',                '2026-07-02T04:00:00.000Z'],
    ['202603021530',            '2026-03-02T20:30:00.000Z'],
    ['20260302153045.1234',     '2026-03-02T20:30:45.123Z'],
    ['20260302153045-0800',     '2026-03-02T23:30:45.000Z'],
    ['20260302153045+0530',     '2026-03-02T10:00:45.000Z'],
    ['20260308013000',          '2026-03-08T06:30:00.000Z'],
    ['20260308033000',          '2026-03-08T07:30:00.000Z'],
    ['20260231',                undefined],
    ['20261301',                undefined],
    ['yesterday',               undefined],
    ['',                        undefined],
  ])('%s is %s in New York', (text, moment) => {
    const found = parseTimestamp(text, { offset: undefined, timeZone: 'America/New_York' });
    expect(found?.toISOString()).toBe(moment);
  });

  it('is written in a form that can be parsed', () => {
    const moment = new Date('2026-03-02T15:00:07Z');
    expect(parseTimestamp(writeTimestamp(moment), { offset: undefined, timeZone: 'Asia/Tokyo' })).toEqual(
      moment,
    );
  });
});

describe('frames', () => {
  const frames = (chunks: Buffer[], limit = 1000) => {
    const framer = createFramer(limit);
    return [...chunks.flatMap((chunk) => framer.push(chunk)), ...framer.end()].map(({ bytes, flaw }) => [
      bytes.toString(),
      flaw,
    ]);
  };

  it('are the same however the bytes are chunked', () => {
    const whole = Buffer.concat([
      wrapFrame(Buffer.from('one')),
      Buffer.from('\r\n'),
      wrapFrame(Buffer.from('t\u001cwo')),
    ]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(frames(chunks)).toEqual([
          ['one', undefined],
          ['t\u001cwo', undefined],
        ]);
      }),
    );
  });

  // prettier-ignore
  it.each([
    ['\u000bone\u000btwo\u001c\r', [['one', 'truncated'], ['two', undefined]]],
    ['\u000bone',                  [['one', 'truncated']]],
    ['one\u000btwo\u001c\r',       [['one', 'unframed'], ['two', undefined]]],
    ['one\r',                      [['one\r', 'unframed']]],
    ['\r\n\u000b\u001c\r',         []],
    ['\u000bone\u001c',            [['one', undefined]]],
    ['\u000bone\u001c\u000btwo\u001c\r', [['one', undefined], ['two', undefined]]],
  ])('of %j are %j', (text, expected) => {
    expect(frames([Buffer.from(text)])).toEqual(expected);
    expect(frames([...text].map((each) => Buffer.from(each)))).toEqual(expected);
  });

  it('above the limit keep only their beginning', () => {
    const framer = createFramer(10_000);
    const chunk = Buffer.alloc(6000, 'x');
    framer.push(Buffer.of(0x0b));
    for (let n = 0; n < 100; n += 1) framer.push(chunk);
    expect(framer.bufferedBytes).toBeLessThanOrEqual(10_000);
    const [frame] = framer.push(Buffer.from('\u001c\r'));
    expect([frame?.flaw, frame?.bytes.length]).toEqual(['too_large', 4096]);
  });
});

describe('a batch', () => {
  it('holds its messages byte for byte', () => {
    const [a, b] = [`${MSH}\rPID|1\r`, `${MSH}\rPID|2\r`];
    const file = Buffer.from(`FHS|^~\\&\rBHS|^~\\&\r${a}${b}BTS|2\rFTS|1\r`);
    expect(splitMessages(file).map(String)).toEqual([a, b]);
    expect(splitMessages(Buffer.from(a))).toEqual([Buffer.from(a)]);
    expect(
      splitMessages(Buffer.concat([wrapFrame(Buffer.from(a)), wrapFrame(Buffer.from(b))])).map(String),
    ).toEqual([a, b]);
  });

  const [a, b] = [`${MSH}\rPID|1\r`, `${MSH}\rPID|2\r`];
  // prettier-ignore
  it.each<[string, string, string[]]>([
    ['a byte order mark before the first',      `\uFEFF${a}${b}`,                                   [a, b]],
    ['blanks before one',                       ` ${a}\t ${b}`,                                     [a, b]],
    ['a byte order mark in its middle',         `${a}\uFEFF${b}`,                                   [a, b]],
    ['a byte order mark before its header',     `\uFEFFFHS|^~\\&\rBHS|^~\\&\r${a}${b}BTS|2\rFTS\r`, [a, b]],
    ['a header of more than one line',          `FHS|^~\\&\rSFT|Maker\r${a}${b}FTS|1\r\u001a`,       [a, b]],
    ['lines before the first',                  `PID|0\rOBX|0\r${a}${b}`,                          ['PID|0\rOBX|0\r', a, b]],
    ['lines between two batches',               `BHS|\r${a}BTS|1\rPID|0\r${b}`,                    [a, 'PID|0\r', b]],
    ['lines between two frames',                `\v${a}\u001c\rPID|0\r\v${b}\u001c\r`,              [a, 'PID|0\r', b]],
    ['the block of another in a text',          `${a}OBX|1|TX|||a\u001cb\r${b}`,                   [`${a}OBX|1|TX|||a\u001cb\r`, b]],
    ['a text that speaks of MSH or of BTS',     `${a}OBX|1|TX|||of\n MSH level\nBTS done\r${b}`,   [`${a}OBX|1|TX|||of\n MSH level\nBTS done\r`, b]],
    ['one alone, behind a byte order mark',     `\uFEFF${a}`,                                       [a]],
    ['none',                                    'BHS|^~\\&\rPID|1\r',                              ['BHS|^~\\&\rPID|1\r']],
  ])('loses no line with %s', (_what, file, wanted) => {
    expect(splitMessages(Buffer.from(file)).map(String)).toEqual(wanted);
  });

  it('keeps all its content in its pieces, and splits no piece further', () => {
    const parts = [
      'MSH|',
      'MSH',
      'PID|7',
      ' MSH level',
      '\uFEFF',
      ' ',
      '\r',
      '\n',
      '\v',
      '\u001c',
      '\u001c\r',
    ];
    const written = (text: string) => text.replaceAll('\u001c', '').replaceAll(/[\s\uFEFF]/g, '');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 20 }), (all) => {
        const pieces = splitMessages(Buffer.from(all.join('')));
        expect(written(pieces.join(''))).toBe(written(all.join('')));
        for (const piece of pieces) expect(splitMessages(piece)).toEqual([piece]);
      }),
      { numRuns: 500 },
    );
  });
});

const envelope: OrderEnvelope = {
  labApplication: 'LIS',
  labFacility: 'LAB',
  ourApplication: 'US',
  ourFacility: 'HERE',
  controlId: 'C1',
  placer: createPlacerNumber('01900000-0000-7000-8000-000000000001'),
  messageType: 'OML_O21',
  accountNumber: 'A-1',
  characterSet: 'UNICODE UTF-8',
  processing: 'P',
  at: new Date('2026-03-02T15:00:00Z'),
};
const requisition: Requisition = {
  tenant: { teamId: '01900000-0000-7000-8000-00000000000a', environment: 'production' },
  orderId: '01900000-0000-7000-8000-000000000001',
  lab: 'labcorp',
  accountNumber: null,
  sampleId: 'KIT-1',
  patient: { firstName: 'Ada', lastName: "O'Neil|x", dob: '1985-12-10', gender: 'female', id: 'U1' },
  physician: { firstName: 'Mary', lastName: 'Putnam', npi: '1003000126' },
  icdCodes: ['E11.9'],
  insurance: {
    payorCode: 'AETNA',
    company: 'Aetna',
    memberId: 'M-1',
    groupId: null,
    relationship: 'Self',
    insured: { firstName: 'Ada', lastName: 'Lovelace', dob: '1985-12-10' },
  },
  tests: [
    {
      markerId: 1,
      providerId: '322000',
      name: 'CMP',
      slug: 'cmp',
      expected: [],
      answers: [{ code: 'FAST', question: 'Fasting?', answer: 'Y' }],
    },
    { markerId: 2, providerId: '005009', name: 'CBC', slug: 'cbc', expected: [] },
  ],
  clinicalNotes: 'First\nSecond',
  priority: true,
};

describe('an order', () => {
  it.each([
    ['ORM_O01', ['MSH', 'PID', 'NTE', 'NTE', 'PV1', 'IN1', 'ORC', 'OBR', 'DG1', 'OBX', 'ORC', 'OBR', 'DG1']],
    [
      'OML_O21',
      [
        'MSH',
        'PID',
        'NTE',
        'NTE',
        'PV1',
        'IN1',
        'ORC',
        'OBR',
        'DG1',
        'OBX',
        'SPM',
        'ORC',
        'OBR',
        'DG1',
        'SPM',
      ],
    ],
  ] as const)('is written as %s', (messageType, names) => {
    const parsed = parseMessage(writeOrder(requisition, { ...envelope, messageType }));
    const { get } = createFieldReader(parsed);
    const first = (name: string) => parsed.segments.find((segment) => segment.name === name);
    expect(parsed.segments.map(({ name }) => name)).toEqual(names);
    expect([
      get(first('MSH'), 5),
      get(first('MSH'), 10),
      get(first('PID'), 5, 1),
      get(first('PID'), 18),
    ]).toEqual(['LIS', 'C1', "O'Neil|x", 'A-1']);
    expect([get(first('ORC'), 1), get(first('ORC'), 2), get(first('ORC'), 12), get(first('OBR'), 4)]).toEqual(
      ['NW', envelope.placer, '1003000126', '322000'],
    );
    expect([get(first('DG1'), 3), get(first('OBX'), 5), get(first('OBR'), 18)]).toEqual([
      'E11.9',
      'Y',
      'KIT-1',
    ]);
  });

  it('is in the character set of the laboratory, in MSH-18 and in its bytes', () => {
    const patient = { ...requisition.patient, lastName: 'Ångström', firstName: 'Łucja' };
    const bytes = writeOrder({ ...requisition, patient }, { ...envelope, characterSet: '8859/1' });
    expect(bytes.includes(Buffer.from('|\u00c5ngstr\u00f6m^Lucja|', 'latin1'))).toBe(true);
    expect(bytes.toString('latin1').split('\r')[0]).toMatch(/\|8859\/1$/);
  });

  it('is cancelled by its placer number', () => {
    const parsed = parseMessage(writeCancellation(envelope));
    const orc = parsed.segments.find(({ name }) => name === 'ORC');
    expect([createFieldReader(parsed).get(orc, 1), createFieldReader(parsed).get(orc, 2)]).toEqual([
      'CA',
      envelope.placer,
    ]);
  });

  it('has a short, unique placer number', () => {
    const ids = Array.from(
      { length: 5000 },
      (_, n) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    );
    expect(new Set(ids.map(createPlacerNumber)).size).toBe(5000);
    expect(envelope.placer).toMatch(/^[0-9A-HJKMNP-TV-Z]{14}$/);
  });
});

describe('an acknowledgement', () => {
  const head = readHead(Buffer.from(MSH), 'hl7');

  it.each(['AA', 'AE', 'AR'] as const)('of %s is addressed to the sender', (code) => {
    const bytes = writeAcknowledgement(head, {
      code,
      text: code === 'AA' ? null : 'a|b',
      id: 'K1',
      at: at.arrivedAt,
    });
    expect(readAcknowledgement(bytes, 'M1')).toEqual({ code, text: code === 'AA' ? null : 'a|b' });
    expect(readHead(bytes, 'hl7')).toMatchObject({
      type: 'ACK^R01',
      ourFacility: 'LAB',
      labFacility: 'HERE',
      controlId: 'K1',
    });
    expect(() => readAcknowledgement(bytes, 'M2')).toThrow('another message');
  });
});
