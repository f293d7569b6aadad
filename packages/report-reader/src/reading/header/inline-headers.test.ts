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
const metadataOf = (lines: readonly string[], table: readonly string[] = TABLE) =>
  readReport([pageOf([...lines, ...table])]).metadata;

describe('the patient', () => {
  it('is the person with a title above the date of birth, not the institution next to it', () => {
    expect(
      metadataOf([
        '                                              M. LACROIX Remi',
        'LBM BIOVERT – Site de Meursault               Né le 14/12/1959 (66 ans) Sexe : M',
        '4 rue du Pont, 21200 MEURSAULT                Dossier : 260218-0457',
      ]),
    ).toMatchObject({ patientFirstName: 'Remi', patientLastName: 'LACROIX', gender: 'male' });
  });

  it('may be above an address that the date of birth follows', () => {
    expect(
      metadataOf([
        'WOOLGOOLGA PATHOLOGY',
        'GLASSON, Trevor Alan                      Lab No:    26-1180447',
        '9 Fence Lane, BOWNING NSW 2582            UR:        MP-771 2043',
        'DOB: 19/05/1963     Sex: M                Ref by:    DR S NGUYEN-HALL',
      ]),
    ).toMatchObject({ patientFirstName: 'Trevor Alan', patientLastName: 'GLASSON' });
  });

  it('is not a physician above an address', () => {
    const { patientLastName } = metadataOf([
      'Ordering Physician:',
      'HALL, Susan',
      '9 Fence Lane, BOWNING NSW 2582',
      'DOB: 19/05/1963     Sex: M',
    ]);
    expect(patientLastName).not.toBe('HALL');
  });

  it('is called a user in Québec', () => {
    expect(metadataOf(['Usager : LAFRENAIE, Josée-Anne       DDN : 1983-01-29 Sexe : F'])).toMatchObject({
      patientFirstName: 'Josée-Anne',
      patientLastName: 'LAFRENAIE',
    });
  });

  it('may have the sex after an age in years and months', () => {
    expect(metadataOf(['Patient:  MASHILO Nomalanga', 'Date of birth: 14/08/1987 37y 11m F'])).toMatchObject({
      gender: 'female',
    });
  });
});

describe('dates', () => {
  const GERMAN = 'Analyse          Ergebnis    Einheit   Referenzbereich';
  it.each([
    ['Laborbefund 14.10.2025 12:30', '2025-10-14T12:30'],
    ['PROTOCOLE COMPLET du 12.06.2025', '2025-06-12'],
    ['Referto 14/10/2025 12:30', '2025-10-14T12:30'],
  ])('may follow the word for report: %s', (line, reported) => {
    expect(
      metadataOf(
        [`Patient: Jane Marsh     ${line}`],
        ['', GERMAN, 'Natrium          140         mmol/l    135-145'],
      ),
    ).toMatchObject({
      dateReported: reported,
    });
  });

  it('of a letter may be labeled only "Date"', () => {
    const lines = [
      '                       Date: 6 November 2025',
      'Re: Ms Jane MARSH, DOB 17/03/1974',
      'Dear Fergus,',
    ];
    expect(metadataOf(lines)).toMatchObject({ dateReported: '2025-11-06' });
    expect(metadataOf(lines.slice(0, 2))).toMatchObject({ dateReported: null });
  });

  it('are not in US order because of a method called CLIA', () => {
    const table = [
      '',
      'Test             Result      Units',
      'Vitamin B12      210         pg/ml',
      ' Method: CLIA',
    ];
    const head = ['Arogya Diagnostics, NABL Accredited', 'Collected : 11/04/2026 08:20'];
    expect(metadataOf(head, table).dateCollected).toBe('2026-04-11T08:20');
    expect(
      metadataOf(['Valley Labs CLIA 37D0000000', 'Collected : 11/04/2026 08:20'], table).dateCollected,
    ).toBe('2026-11-04T08:20');
  });

  describe('dates above the results of several days', () => {
    const CUMULATIVE = [
      'Test             13-Jan-26   02-Dec-25   19-May-25   Units     Reference',
      'Haemoglobin      98          104         117         g/L       115-165',
      'Platelets        512         466         369         10*9/L    150-450',
    ];
    it('give the collection date of the newest sample', () => {
      expect(metadataOf(['Patient: Jane Marsh'], CUMULATIVE).dateCollected).toBe('2026-01-13');
    });

    it('include the time of day printed below', () => {
      const [dates = '', ...lines] = CUMULATIVE;
      const times = '                 10:15       09:40       11:05';
      expect(metadataOf(['Patient: Jane Marsh'], [dates, times, ...lines]).dateCollected).toBe(
        '2026-01-13T10:15',
      );
    });

    it('do not override the report header', () => {
      expect(metadataOf(['Collected: 12-Jan-2026 07:00'], CUMULATIVE).dateCollected).toBe('2026-01-12T07:00');
    });

    it('are ignored if they are report dates', () => {
      const reported = (CUMULATIVE[0] ?? '').replace('Test    ', 'Reported');
      expect(metadataOf(['Patient: Jane Marsh'], [reported, ...CUMULATIVE.slice(1)]).dateCollected).toBe(
        null,
      );
    });
  });
});

describe('the laboratory', () => {
  /** Header lines with their font sizes, above a table. */
  function pageIn(head: readonly (readonly [size: number, line: string])[]): ReportPage {
    const print = head.flatMap(([size, line], row) =>
      pageOf([line]).words.map((word) => ({
        ...word,
        fontSize: size,
        box: { ...word.box, y0: 20 + row * 15, y1: 20 + row * 15 + size },
      })),
    );
    const body = pageOf(TABLE).words.map((word) => ({
      ...word,
      box: { ...word.box, y0: word.box.y0 + 100, y1: word.box.y1 + 100 },
    }));
    return { ...pageOf([]), words: [...print, ...body] };
  }
  const labOf = (...head: (readonly [size: number, line: string])[]) =>
    readReport([pageIn(head)]).metadata.labName;

  it.each([
    ['Resulting lab: CASCADE REFERENCE LAB, 2200 Alder St, Boise ID 83702', 'CASCADE REFERENCE LAB'],
    [
      'Lab : Brackenfell Hospitals NHS Foundation Trust - Pathology',
      'Brackenfell Hospitals NHS Foundation Trust - Pathology',
    ],
  ])('is the one in the header, not the portal that shows the results: %s', (line, lab) => {
    expect(labOf([14, 'THE LIMES SURGERY'], [9, 'Patient: Jane Marsh'], [9, line])).toBe(lab);
  });

  it('is the letterhead if that is a laboratory', () => {
    expect(labOf([14, 'Northshore Pathology'], [9, 'Patient: Jane Marsh'], [9, 'Lab: Haematology'])).toBe(
      'Northshore Pathology',
    );
  });

  it.each([
    ['MERCY RIDGE MEMORIAL HOSPITAL       DEPT OF CLINICAL LABORATORIES', 'MERCY RIDGE MEMORIAL HOSPITAL'],
    ['Landesklinikum Traunwald            Institut für Labormedizin', 'Landesklinikum Traunwald'],
  ])('is the institution, not its department: %s', (line, lab) => {
    expect(labOf([10, line], [10, 'Patient: Jane Marsh'])).toBe(lab);
  });

  it('is a department if no institution is named', () => {
    expect(labOf([10, 'Institut für Labormedizin'], [10, 'Patient: Jane Marsh'])).toBe(
      'Institut für Labormedizin',
    );
  });

  it('includes the kind of institution in the next line of the same print', () => {
    expect(labOf([14, 'Ottawa Valley'], [14, 'Medical Laboratories'], [9, 'Patient: Jane Marsh'])).toBe(
      'Ottawa Valley Medical Laboratories',
    );
    expect(
      labOf([14, 'Ottawa Valley Laboratories'], [14, 'LABORATORY REPORT'], [9, 'Patient: Jane Marsh']),
    ).toBe('Ottawa Valley Laboratories');
  });
});
