import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const readLines = (...lines: string[]): string[] =>
  readReport([pageOf(lines)]).results.map(({ testName, printedValue, unit, referenceRange, flag }) =>
    [testName, printedValue, unit, referenceRange, flag].map((text) => text ?? '').join(' | '),
  );

describe('names of single letters', () => {
  const head = 'Test                        Result        Range';

  it.each([
    [
      'Serum C reactive protein level    11  mg/L     0 - 5',
      'Serum C reactive protein level | 11 | mg/L | 0 - 5 | ',
    ],
    [
      'A : G Ratio (Calculated)          1.55         0.90 - 2.00',
      'A : G Ratio (Calculated) | 1.55 |  | 0.90 - 2.00 | ',
    ],
  ])('are whole: %s', (line, whole) => {
    expect(readLines(head, 'Sodium                            140 mmol/L   136 - 145', line)).toContain(
      whole,
    );
  });
});

describe('the last result of a table', () => {
  it('is not a heading of the table right below it', () => {
    const head = 'Test            Result   Previous Result and Date     Units     Reference Interval';
    expect(
      readLines(
        head,
        'AST             21       19       03/05/2024          IU/L      0-40',
        'ALT             28       25       03/05/2024          IU/L      0-32',
        'Lipids',
        head,
        'Triglycerides   121      119      03/05/2024          mg/dL     0-149',
      ),
    ).toEqual([
      'AST | 21 | IU/L | 0-40 | ',
      'ALT | 28 | IU/L | 0-32 | ',
      'Triglycerides | 121 | mg/dL | 0-149 | ',
    ]);
  });
});

describe('signers and addresses', () => {
  it('are not results', () => {
    const lines = readLines(
      'Untersuchung      Ergebnis   Einheit   Referenz',
      'Quarkase          31         U/l       10 - 40',
      'Quarkin           3,1        mg/l      1,0 - 4,0',
      'Hafenstraße 4     Auftrags-Nr.: 0707-31877   Pat.-Nr.: 10433',
      'Dr Vera Quell            Dr R. Halm                End of report',
    );
    expect(lines).toHaveLength(2);
  });
});

describe('a doubled sign', () => {
  const levels = (...flags: string[]) =>
    readReport([
      pageOf([
        'Test          Result   Flag   Unit    Range',
        ...flags.map((flag, at) => `Quarkase ${at}    9${at}       ${flag.padEnd(2)}     U/l     10 - 40`),
      ]),
    ]).results.map(({ flagLevel }) => flagLevel);

  it('is a critical flag if the report prints single ones, too', () => {
    expect(levels('+', '++', '+')).toEqual(['high', 'critical_high', 'high']);
    expect(levels('++', '++', '++')).toEqual(['high', 'high', 'high']);
  });
});

describe('text that cannot be the value', () => {
  const doubtsOf = (line: string): boolean =>
    readReport([
      pageOf(['Test            Result       Range', 'Quarkase        31 U/l       10 - 40', line]),
    ]).results.at(-1)?.reviewReasons.length !== 0;

  it.each([
    ['Bilirubin       ↑ µmol/L     < 21', true],
    ['Bilirubin       9 µmol/L     < 21', false],
    ['Eosinophils     2,5 /mm3     0 - 500', true],
    ['Eosinophils     180 /mm3     0 - 500', false],
  ])('is marked: %s', (line, isDoubted) => {
    expect(doubtsOf(line)).toBe(isDoubted);
  });
});

describe('a panel title after its date', () => {
  it('is not a column heading, even with a remark of a doctor', () => {
    expect(
      readLines(
        '07-Mar-2024 08:40   Quark count - (V. Quell) - Abnormal, but expected',
        'Quarkase 128 g/L [130.0 - 180.0]; Below low reference limit',
        'Leptonase 6.2 U/L [4.0 - 11.0]',
        'Hadronase 251 U/L [150.0 - 450.0]',
      ),
    ).toEqual([
      'Quarkase | 128 | g/L | 130.0 - 180.0 | Below low reference limit',
      'Leptonase | 6.2 | U/L | 4.0 - 11.0 | ',
      'Hadronase | 251 | U/L | 150.0 - 450.0 | ',
    ]);
  });
});
