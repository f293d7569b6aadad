import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';
import type { ReportPage } from '../report-model.ts';

const TABLE = [
  '',
  'Test             Result      Units     Reference Range',
  'Glucose          92          mg/dL     70-99',
  'Urea             5.1         mmol/L    2.5-7.0',
];
const readHeader = (...lines: string[]) => readReport([pageOf([...lines, ...TABLE])]).metadata;

describe('the patient', () => {
  it('is not a test, though "PT" is short for patient', () => {
    const table = ['PT               13.9        s         9.6-12.4', 'INR              1.3'];
    const { metadata } = readReport([pageOf(['Name: DOE, JANE', ...TABLE, ...table])]);
    expect(metadata).toMatchObject({ patientLastName: 'DOE', patientFirstName: 'JANE' });
    expect(readReport([pageOf([...TABLE, ...table])]).metadata.patientLastName).toBeNull();
  });

  it('may be above the birth date, right-aligned with it', () => {
    expect(
      readHeader(
        'Casa Verde                                          NERI PAOLA',
        'Via dei Tigli                      nata il 02/05/1981 sesso: F',
      ),
    ).toMatchObject({ patientLastName: 'PAOLA', patientFirstName: 'NERI', dob: '1981-05-02' });
  });
});

describe('the date of birth', () => {
  it.each(['Né(e) MARCHAND le : 23/03/1971', 'Née LE GOFF le 23/03/1971'])(
    'stands behind the name that somebody was born with: %s',
    (line) => expect(readHeader(line, 'Sexe : F').dob).toBe('1971-03-23'),
  );
});

describe('the sex', () => {
  it('is male for M with an Argentine license, and unclear in other Spanish reports', () => {
    expect(readHeader('Paciente: RUIZ, Pedro    Sexo: M', 'Bioquímica: Dra. Paz, M.N. 0000').gender).toBe(
      'male',
    );
    expect(readHeader('Paciente: RUIZ, Pedro    Sexo: M', 'Bioquímica: Dra. Paz').gender).toBe('other');
  });
});

describe('dates', () => {
  it('may continue in the next line if the label ends its line', () => {
    expect(
      readHeader('Cliente: ANA SOUZA   Data da coleta: 22/04/2025 09:15   Data de liberação:', '23/04/2025')
        .dateReported,
    ).toBe('2025-04-23');
  });

  it('are those of the results, not of a file update', () => {
    const lines = ['Last Updated: 01 Mar 2025', 'Collected: 18 Feb 2025   Completed: 18 Feb 2025'];
    expect(readHeader(...lines).dateReported).toBe('2025-02-18');
  });

  it('include the blood extraction date', () => {
    expect(readHeader('DATE EXTRACTED: 25 Jul 2025').dateCollected).toBe('2025-07-25');
  });

  it('have the day first in India, even with a method called CLIA', () => {
    expect(readHeader('NABL MC-0000   Collected: 12/7/2025 8:05', 'TSH (CLIA) 2').dateCollected).toBe(
      '2025-07-12T08:05',
    );
  });
});

/** A line with its font size. */
type SizedLine = readonly [size: number, line: string];

function pageWith(...head: readonly SizedLine[]): ReportPage {
  const print = head.flatMap(([size, line], row) =>
    pageOf([line]).words.map((word) => ({
      ...word,
      fontSize: size,
      box: { ...word.box, y0: 20 + row * 18, y1: 20 + row * 18 + size },
    })),
  );
  const body = pageOf(['Patient: Jane Marsh     DOB: 14 Mar 1971', ...TABLE]).words.map((word) => ({
    ...word,
    box: { ...word.box, y0: word.box.y0 + 100, y1: word.box.y1 + 100 },
  }));
  return { ...pageOf([]), words: [...print, ...body] };
}

describe('the name of a laboratory', () => {
  it.each<[string, readonly SizedLine[], string]>([
    [
      'is not the mark of a health service',
      [
        [12, 'NHS'],
        [9, 'Highmoor & Vale Pathology Service'],
      ],
      'Highmoor & Vale Pathology Service',
    ],
    [
      'is not its legal form with the number of a register',
      [
        [15, 'BIOVALMONT – Rive Gauche'],
        [9, 'SELAS de biologistes médicaux – FINESS 00 000 000 0'],
      ],
      'BIOVALMONT – Rive Gauche',
    ],
    [
      'is not what the branch is to the others',
      [
        [8, 'XYZ - NORTHSIDE (NATIONAL REFERENCE LAB)'],
        [15, 'Orchid PathCentre Ltd'],
      ],
      'Orchid PathCentre Ltd',
    ],
    [
      'is not the unit of the house',
      [
        [10, 'A.S.L. VALDORA'],
        [10, 'U.O.C. Laboratorio Analisi'],
      ],
      'A.S.L. VALDORA',
    ],
  ])('%s', (_, head, name) => expect(readReport([pageWith(...head)]).metadata.labName).toBe(name));

  it('may follow the place where the tests were performed', () => {
    expect(readHeader('Performing Location: FORT HILL VAMC').labName).toBe('FORT HILL VAMC');
  });
});
