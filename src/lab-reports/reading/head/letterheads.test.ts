import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../../test/lab-reports/page-of.ts';
import { readReport } from '../read.ts';
import type { Page } from '../word.ts';

const TABLE = [
  'Patient: Jane Marsh     DOB: 14 Mar 1971',
  'Test             Result      Units     Reference Range',
  'Glucose          92          mg/dL     70-99',
  'Urea             5.1         mmol/L    2.5-7.0',
];

/** A line with the size of its print. */
type Printed = readonly [size: number, line: string];

function pageWith(head: readonly Printed[], foot: readonly Printed[] = []): Page {
  const print = (lines: readonly Printed[], top: number) =>
    lines.flatMap(([size, line], row) =>
      pageOf([line]).words.map((word) => ({
        ...word,
        fontSize: size,
        box: { ...word.box, y0: top + row * 14, y1: top + row * 14 + size },
      })),
    );
  const body = pageOf(TABLE).words.map((word) => ({
    ...word,
    box: { ...word.box, y0: word.box.y0 + 100, y1: word.box.y1 + 100 },
  }));
  return { ...pageOf([]), words: [...print(head, 20), ...body, ...print(foot, 860)] };
}

const labOf = (...pages: Page[]) => readReport(pages).metadata.labName;

describe('the name of a laboratory', () => {
  it('goes on in smaller print with what kind of house it is', () => {
    expect(
      labOf(
        pageWith([
          [14, 'Highmoor & Sons'],
          [9, 'PATHOLOGISTS · PATOLOË'],
        ]),
      ),
    ).toBe('Highmoor & Sons PATHOLOGISTS');
    expect(
      labOf(
        pageWith([
          [14, 'FINCH'],
          [9, 'Reference Laboratories'],
        ]),
      ),
    ).toBe('FINCH Reference Laboratories');
  });

  it('is that of the house, not of the authority above it, nor of its department', () => {
    expect(
      labOf(
        pageWith([
          [13, 'GENERALITAT · Conselleria de Sanitat'],
          [9, 'Hospital Comarcal del Valle — Servicio de Análisis Clínicos'],
        ]),
      ),
    ).toBe('Hospital Comarcal del Valle');
  });

  it('is whole in smaller print beside its mark, whatever the law calls it', () => {
    expect(
      labOf(
        pageWith([
          [18, 'finchley'],
          [8, 'Clinical Laboratories Finchley'],
        ]),
      ),
    ).toBe('Clinical Laboratories Finchley');
    expect(
      labOf(
        pageWith([
          [7, '                                      FINCHLEY TECHNOLOGIES LIMITED'],
          [18, 'Finchley'],
        ]),
      ),
    ).toBe('FINCHLEY TECHNOLOGIES LIMITED');
  });

  it('is that of a hospital without its department, nor what its computer calls the place of work', () => {
    expect(
      labOf(
        pageWith([
          [10, 'MARSH MEMORIAL HOSPITAL'],
          [10, 'DEPARTMENT OF PATHOLOGY'],
          [10, ''],
          [10, 'RUN: 14/03/2024      LABORATORY *LIVE*'],
        ]),
      ),
    ).toBe('MARSH MEMORIAL HOSPITAL');
  });

  it('is in two lines of large print, though other fields of the head stand beside the second', () => {
    const page = pageWith([
      [20, 'Marsh End'],
      [20, 'Diagnostics'],
      [8, '                           DOB: 03/14/1971'],
    ]);
    const words = page.words.map((word) =>
      word.fontSize === 20
        ? {
            ...word,
            font: word.text,
            box: { ...word.box, y0: word.box.y0 * 1.5 - 10, y1: word.box.y1 * 1.5 - 20 },
          }
        : word,
    );
    expect(labOf({ ...page, words })).toBe('Marsh End Diagnostics');
  });

  it('has none of the small print behind it in its line', () => {
    const page = pageWith([[13, 'Sunrise Diagnostics NABL MC-9999 | CIN U85110']]);
    const words = page.words.map((word) =>
      /^(?:NABL|MC|CIN|U85)/.test(word.text) ? { ...word, fontSize: 6 } : word,
    );
    expect(labOf({ ...page, words })).toBe('Sunrise Diagnostics');
  });

  it('is whole in the foot where the head has but its mark', () => {
    expect(
      labOf(
        pageWith([[16, 'Northfield Aurora']], [[8, 'Northfield Aurora Laboratories, 77 Mill Ave., Ontario']]),
      ),
    ).toBe('Northfield Aurora Laboratories');
  });

  it('is more than what the law calls every such house', () => {
    expect(
      labOf(
        pageWith([
          [15, "BIO-CÔTE D'ARGENT"],
          [9, 'Laboratoire de biologie médicale multi-sites'],
        ]),
      ),
    ).toBe("BIO-CÔTE D'ARGENT");
  });

  it('stands at the end of the last page where a portal has the head', () => {
    const first = pageWith([[13, 'MyValleyChart']]);
    const last = { ...pageOf(['Resulting lab: Three Valleys Laboratory, 2200 Mill Ave'], 2) };
    expect(labOf(first, last)).toBe('Three Valleys Laboratory');
  });
});

describe('the head of a report', () => {
  const headOf = (...lines: string[]) => readReport([pageOf([...lines, ...TABLE.slice(1)])]).metadata;

  it('has the sex behind an age in brackets', () => {
    expect(headOf('MARSH Jane , geb. 27.06.1992 (32 J), weiblich')).toMatchObject({ gender: 'female' });
  });

  it('has an initial behind a family name, which is no title', () => {
    expect(
      headOf('Paciente: LLORET PAZ, M. INMACULADA', 'F. nacimiento: 02/12/1966 · Sexo: Mujer'),
    ).toMatchObject({
      patientFirstName: 'M. INMACULADA',
      gender: 'female',
    });
  });

  it('has a number of wards and clinics, which is no family name', () => {
    expect(headOf('Patient: AKINYI L. OUMA IP/OP No: KH/24/1102   Age: 5 Y   Sex: F')).toMatchObject({
      patientLastName: 'OUMA',
    });
  });

  it('has days whose labels are also said for short', () => {
    expect(
      readReport([
        pageOf([
          'NAME         : JANE MARSH (44Y/F)        Sample Collected on (SCO)    : 22 Aug 2024 07:10',
          'ADVISED BY   : SELF                      Report Released on (RRO)     : 23 Aug 2024 02:31',
          ...TABLE.slice(1),
        ]),
      ]).metadata,
    ).toMatchObject({ dateCollected: '2024-08-22T07:10', dateReported: '2024-08-23T02:31' });
    expect(
      readReport([
        pageOf([
          'SPEC #: 0321:C00318R    COLL: 03/21/24-1410    REC: 03/21/24-1423',
          '                        STATUS: COMP           RES: 03/22/24-1519',
          ...TABLE,
        ]),
      ]).metadata.dateReported?.slice(0, 10),
    ).toBe('2024-03-22');
  });

  it('has a day on which results came out', () => {
    expect(headOf('Sample collected: 19/05/2025 10:05   Results out: 19/05/2025 12:48')).toMatchObject({
      dateCollected: '2025-05-19T10:05',
      dateReported: '2025-05-19T12:48',
    });
  });

  it('has days before months in a country whose companies have American forms', () => {
    expect(headOf('Falcon Hospital LLC   Tel +971 3 000 0000', 'Collected: 12/01/2025 21:14')).toMatchObject({
      dateCollected: '2025-01-12T21:14',
    });
    expect(headOf('Falcon Hospital LLC', 'Collected: 12/01/2025 21:14')).toMatchObject({
      dateCollected: '2025-12-01T21:14',
    });
  });

  it('may say at the end of the last page when it was released', () => {
    const pages = [
      pageOf(TABLE),
      pageOf(['Sodium           138         mmol/L    135-145', '', 'Results released 20 Feb 2024 13:18'], 2),
    ];
    expect(readReport(pages).metadata.dateReported).toBe('2024-02-20T13:18');
  });
});
