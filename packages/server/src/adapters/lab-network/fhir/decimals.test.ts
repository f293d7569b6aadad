import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../platform/errors.ts';
import { createLabProtocol } from '../hl7/protocol.ts';
import { UnreadableMessageError } from '../protocol.ts';
import { readFhirReports } from './fhir.ts';
import { removeFhirReports } from './remove-reports.ts';

const protocol = createLabProtocol({ readReports: readFhirReports, removeReports: removeFhirReports });
const at = {
  lab: 'quest',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};

/** The text of a bundle with one Observation, which has these elements as they are written. */
const textOf = (elements: string, head = '"id":"b1"') =>
  `{"resourceType":"Bundle",${head},"type":"collection","entry":[` +
  '{"resource":{"resourceType":"DiagnosticReport","id":"r1","status":"final","code":{"text":"Panel"},' +
  '"identifier":[{"value":"A1"}],"result":[{"reference":"Observation/o1"}]}},' +
  `{"resource":{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"Glucose"},${elements}}}]}`;
const readAll = (text: string | Buffer) =>
  protocol.readReports({ bytes: Buffer.from(text), format: 'fhir' }, at);
const readFirst = (elements: string) => readAll(textOf(elements))[0]?.observations[0];
const shownOf = (elements: string) => {
  const { value, unit, referenceRange } = readFirst(elements) ?? {};
  return [value, unit, referenceRange].filter((part) => part != null).join(' ');
};

/** Why the text is refused; undefined if it is read. */
function refusalOf(text: string | Buffer): string | undefined {
  try {
    readAll(text);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableMessageError) return error.message;
    if (error instanceof DomainError && Array.isArray(error.detail))
      return error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    throw error;
  }
}

const LONG = `0.${'123456789'.repeat(5)}`;
// prettier-ignore
const NUMBERS: readonly (readonly [sent: string, shown: string])[] = [
  ['5.10',        '5.10'],
  ['5.0',         '5.0'],
  ['5',           '5'],
  ['0.00',        '0.00'],
  ['100.000',     '100.000'],
  ['-0.50',       '-0.50'],
  ['-0',          '-0'],
  ['-0.0',        '-0.0'],
  ['1e3',         '1e3'],
  ['1.50E2',      '1.50E2'],
  ['1.0E+02',     '1.0E+02'],
  ['2.50e-3',     '2.50e-3'],
  ['9007199254740993',     '9007199254740993'],
  ['12345678901234567890', '12345678901234567890'],
  ['1000000000000000000000', '1000000000000000000000'],
  ['0.0000001',   '0.0000001'],
  ['0.1000000000000000055', '0.1000000000000000055'],
  [LONG,          LONG],
];

// prettier-ignore
const ELEMENTS: readonly (readonly [what: string, elements: string, shown: string])[] = [
  ['a comparator',             '"valueQuantity":{"comparator":"<","value":0.10,"unit":"ng/mL"}', '<0.10 ng/mL'],
  ['a rendered value',         '"valueQuantity":{"value":5.10,"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/rendered-value","valueString":"5.1 H"}]}', '5.1 H'],
  ['a range',                  '"valueRange":{"low":{"value":0.0},"high":{"value":5.50}}', '0.0-5.50'],
  ['an integer',               '"valueInteger":12', '12'],
  ['a big integer',            '"valueInteger":2147483647', '2147483647'],
  ['a ratio with units',       '"valueRatio":{"numerator":{"value":30.0,"unit":"mg"},"denominator":{"value":1.00,"unit":"g"}}', '30.0 mg / 1.00 g'],
  ['a titer',                  '"valueRatio":{"numerator":{"value":1},"denominator":{"value":160}}', '1:160'],
  ['a titer in decimals',      '"valueRatio":{"numerator":{"value":1.0},"denominator":{"value":160.00}}', '1:160'],
  ['a ratio without units',    '"valueRatio":{"numerator":{"value":1.50},"denominator":{"value":2.0}}', '1.50:2.0'],
  ['a reference range',        '"valueQuantity":{"value":5.10},"referenceRange":[{"low":{"value":4.0},"high":{"value":5.60}}]', '5.10 4.0-5.60'],
  ['a range from a bound on',  '"valueQuantity":{"value":5.10},"referenceRange":[{"low":{"value":4.00}}]', '5.10 >=4.00'],
  ['ages in decimals',         '"valueQuantity":{"value":5.10},"referenceRange":[{"low":{"value":4.0},"high":{"value":5.6},"age":{"low":{"value":18.0},"high":{"value":64.00}}}]', '5.10 18-64 years: 4.0-5.6'],
  ['a text in the place of a number', '"valueString":"5.10"', '5.10'],
  ['a text with an escaped quote', String.raw`"valueString":"5.10 \"5.10\" \\"`, String.raw`5.10 "5.10" \ `.trimEnd()],
];

// prettier-ignore
const REFUSED: readonly (readonly [what: string, text: string | Buffer, reason: RegExp])[] = [
  ['a number beyond all bounds',  textOf('"valueQuantity":{"value":1e400}'), /valueQuantity\.value: expected a number up to 1e308/],
  ['a number of 100 digits',      textOf(`"valueQuantity":{"value":${'1'.repeat(100)}}`), /valueQuantity\.value: expected a number of at most 64 characters/],
  ['a fraction as integer',       textOf('"valueInteger":5.10'), /valueInteger: expected a whole number/],
  ['a number as unit',            textOf('"valueQuantity":{"value":5.1,"unit":5.10}'), /valueQuantity\.unit/],
  ['a number as text',            textOf('"valueString":5.10'), /valueString/],
  ['a text as number',            textOf('"valueQuantity":{"value":"5.10"}'), /valueQuantity\.value/],
  ['an object as number',         textOf('"valueQuantity":{"value":{"text":"5.10"}}'), /valueQuantity\.value/],
  ['sampled data',                textOf('"valueSampledData":{"origin":{"value":0.0},"period":10.0,"dimensions":1,"data":"5.10"}'), /sampled data are not supported/],
  ['two values of one element',   textOf('"valueQuantity":{"value":5.10,"value":6.10}'), /^The JSON has a key twice in one object, at character \d+$/],
  ['two values of one precision', textOf('"valueQuantity":{"value":5.10,"value":5.1}'), /twice/],
  ['two elements of one name',    textOf('"valueQuantity":{"value":5.10},"valueQuantity":{"value":5.10}'), /twice/],
  ['a name of a person as key',   textOf('"valueString":"x","Ada Lovelace":1,"Ada Lovelace":2'), /^The JSON has a key twice in one object, at character \d+$/],
  ['an endless nesting',          textOf(`"valueString":"x","extension":${'['.repeat(50_000)}${']'.repeat(50_000)}`), /nested deeper than 100 levels/],
  ['a nesting without an end',    '['.repeat(1_000_000), /nested deeper than 100 levels/],
  ['a leading zero',              textOf('"valueQuantity":{"value":05.10}'), /^The body is not JSON/],
  ['a number without its digits', textOf('"valueQuantity":{"value":5.}'), /^The body is not JSON/],
  ['a number with a plus',        textOf('"valueQuantity":{"value":+5}'), /^The body is not JSON/],
  ['no number',                   textOf('"valueQuantity":{"value":NaN}'), /^The body is not JSON/],
  ['a cut message',               textOf('"valueQuantity":{"value":5.1').slice(0, -4), /^The body is not JSON/],
  ['bytes of another encoding',   Buffer.from(textOf('"valueQuantity":{"value":5.10,"unit":"µg/L"}'), 'latin1'), /^The body is not UTF-8/],
];

describe('a number in a FHIR message', () => {
  it.each(NUMBERS)('%s is shown as %s', (sent, shown) => {
    expect(shownOf(`"valueQuantity":{"value":${sent}}`)).toBe(shown);
  });

  it.each(ELEMENTS)('keeps its precision in %s', (_what, elements, shown) => {
    expect(shownOf(elements)).toBe(shown);
  });

  it('keeps its precision in components', () => {
    const part = (name: string, value: string) =>
      `{"code":{"text":"${name}"},"valueQuantity":{"value":${value}}}`;
    const [report] = readAll(
      textOf(`"component":[${part('Systolic', '120.0')},${part('Diastolic', '80.50')}]`),
    );
    expect(report?.observations.map(({ name, value }) => [name, value])).toEqual([
      ['Systolic', '120.0'],
      ['Diastolic', '80.50'],
    ]);
  });

  it('makes another message where its precision differs, if the bundle has no id', () => {
    const idOf = (value: string) =>
      readAll(textOf(`"valueQuantity":{"value":${value}}`, '"meta":{}'))[0]?.controlId;
    expect(idOf('5.10')).toBe(idOf('5.10'));
    expect(idOf('5.10')).not.toBe(idOf('5.1'));
  });

  it('keeps its precision when another report is removed from the message', () => {
    const sent = textOf('"valueQuantity":{"value":5.10}')
      .replace(
        '"entry":[',
        '"entry":[{"resource":{"resourceType":"DiagnosticReport","id":"r0","status":"final","code":{"text":"Other"},' +
          '"basedOn":[{"identifier":{"value":"other"}}]}},',
      )
      .replace('"identifier":[{"value":"A1"}]', '"basedOn":[{"identifier":{"value":"A1"}}]');
    const left = protocol.removeReports(
      { bytes: Buffer.from(sent), format: 'fhir' },
      at,
      ({ placerOrderId }) => placerOrderId === 'other',
    );
    expect(left?.toString()).toContain('"valueQuantity":{"value":5.10}');
    expect(left?.toString()).not.toContain('r0');
  });
});

describe('a FHIR message', () => {
  it.each(REFUSED)('with %s is refused', (_what, text, reason) => {
    expect(refusalOf(text)).toMatch(reason);
  });

  it('with the key __proto__ changes nothing else', () => {
    const text = textOf(
      '"__proto__":{"status":"cancelled"},"valueQuantity":{"__proto__":{"unit":"g"},"value":5.10}',
    );
    expect(readAll(text)[0]?.observations).toMatchObject([{ value: '5.10', unit: null, status: 'final' }]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('may begin with a byte order mark', () => {
    const text = `\uFEFF${textOf('"valueQuantity":{"value":5.10}')}`;
    expect(refusalOf(text)).toBeUndefined();
    const head = protocol.readHead(Buffer.from(text), 'fhir');
    expect(head).toMatchObject({ isMessage: true, type: 'Bundle', controlId: 'b1' });
  });
});
