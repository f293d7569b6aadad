import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';
import type { ReportPage } from '../report-model.ts';

const TABLE = [
  'Patient: Jane Marsh     DOB: 14 Mar 1971',
  'Test             Result      Units     Reference Range',
  'Glucose          92          mg/dL     70-99',
  'Urea             5.1         mmol/L    2.5-7.0',
];

/** A line with its font size. */
type LetterheadLine = readonly [size: number, line: string];

function pageWith(head: readonly LetterheadLine[], foot: readonly LetterheadLine[] = []): ReportPage {
  const print = (lines: readonly LetterheadLine[], top: number) =>
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

const readLabNameOf = (...pages: ReportPage[]) => readReport(pages).metadata.labName;

describe('the name of a laboratory', () => {
  it('includes the kind of institution in smaller print', () => {
    expect(
      readLabNameOf(
        pageWith([
          [14, 'Highmoor & Sons'],
          [9, 'PATHOLOGISTS · PATOLOË'],
        ]),
      ),
    ).toBe('Highmoor & Sons PATHOLOGISTS');
    expect(
      readLabNameOf(
        pageWith([
          [14, 'FINCH'],
          [9, 'Reference Laboratories'],
        ]),
      ),
    ).toBe('FINCH Reference Laboratories');
  });

  it.each(['Laboratory', 'Clinical Lab', 'Labor', 'Klinische Chemie', 'LABORATORIO CLINICO'])(
    'is not its kind: %s',
    (kind) => {
      expect(readLabNameOf(pageWith([[14, kind]]))).toBeNull();
      expect(
        readLabNameOf(
          pageWith([
            [14, kind],
            [10, 'Hospital San Telmo'],
          ]),
        ),
      ).toBe('Hospital San Telmo');
    },
  );

  it('is the institution, not the authority above it or its department', () => {
    expect(
      readLabNameOf(
        pageWith([
          [13, 'GENERALITAT · Conselleria de Sanitat'],
          [9, 'Hospital Comarcal del Valle — Servicio de Análisis Clínicos'],
        ]),
      ),
    ).toBe('Hospital Comarcal del Valle');
  });

  it('is the full name in smaller print next to the brand, with any legal form', () => {
    expect(
      readLabNameOf(
        pageWith([
          [18, 'finchley'],
          [8, 'Clinical Laboratories Finchley'],
        ]),
      ),
    ).toBe('Clinical Laboratories Finchley');
    expect(
      readLabNameOf(
        pageWith([
          [7, '                                      FINCHLEY TECHNOLOGIES LIMITED'],
          [18, 'Finchley'],
        ]),
      ),
    ).toBe('FINCHLEY TECHNOLOGIES LIMITED');
  });

  it('is the hospital, without its department or workplace code', () => {
    expect(
      readLabNameOf(
        pageWith([
          [10, 'MARSH MEMORIAL HOSPITAL'],
          [10, 'DEPARTMENT OF PATHOLOGY'],
          [10, ''],
          [10, 'RUN: 14/03/2024      LABORATORY *LIVE*'],
        ]),
      ),
    ).toBe('MARSH MEMORIAL HOSPITAL');
  });

  it('may be in two lines of large print, with other header fields next to the second', () => {
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
    expect(readLabNameOf({ ...page, words })).toBe('Marsh End Diagnostics');
  });

  it('excludes small print after it in the same line', () => {
    const page = pageWith([[13, 'Sunrise Diagnostics NABL MC-9999 | CIN U85110']]);
    const words = page.words.map((word) =>
      /^(?:NABL|MC|CIN|U85)/.test(word.text) ? { ...word, fontSize: 6 } : word,
    );
    expect(readLabNameOf({ ...page, words })).toBe('Sunrise Diagnostics');
  });

  it('is the full name in the footer if the header has only the brand', () => {
    expect(
      readLabNameOf(
        pageWith([[16, 'Northfield Aurora']], [[8, 'Northfield Aurora Laboratories, 77 Mill Ave., Ontario']]),
      ),
    ).toBe('Northfield Aurora Laboratories');
  });

  it('is more than a generic legal description', () => {
    expect(
      readLabNameOf(
        pageWith([
          [15, "BIO-CÔTE D'ARGENT"],
          [9, 'Laboratoire de biologie médicale multi-sites'],
        ]),
      ),
    ).toBe("BIO-CÔTE D'ARGENT");
  });

  it('may be at the end of the last page if a portal has the header', () => {
    const first = pageWith([[13, 'MyValleyChart']]);
    const last = { ...pageOf(['Resulting lab: Three Valleys Laboratory, 2200 Mill Ave'], 2) };
    expect(readLabNameOf(first, last)).toBe('Three Valleys Laboratory');
  });
});

describe('the report header', () => {
  const headOf = (...lines: string[]) => readReport([pageOf([...lines, ...TABLE.slice(1)])]).metadata;

  it('may have the sex after an age in brackets', () => {
    expect(headOf('MARSH Jane , geb. 27.06.1992 (32 J), weiblich')).toMatchObject({ gender: 'female' });
  });

  it('may have an initial after a family name, which is not a title', () => {
    expect(
      headOf('Paciente: LLORET PAZ, M. INMACULADA', 'F. nacimiento: 02/12/1966 · Sexo: Mujer'),
    ).toMatchObject({
      patientFirstName: 'M. INMACULADA',
      gender: 'female',
    });
  });

  it('may have a ward or clinic number, which is not a family name', () => {
    expect(headOf('Patient: AKINYI L. OUMA IP/OP No: KH/24/1102   Age: 5 Y   Sex: F')).toMatchObject({
      patientLastName: 'OUMA',
    });
  });

  it('may have date labels with an abbreviation', () => {
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

  it('may have a release date of the results', () => {
    expect(headOf('Sample collected: 19/05/2025 10:05   Results out: 19/05/2025 12:48')).toMatchObject({
      dateCollected: '2025-05-19T10:05',
      dateReported: '2025-05-19T12:48',
    });
  });

  it('has the day first in countries that use US legal forms', () => {
    expect(headOf('Falcon Hospital LLC   Tel +971 3 000 0000', 'Collected: 12/01/2025 21:14')).toMatchObject({
      dateCollected: '2025-01-12T21:14',
    });
    expect(headOf('Falcon Hospital LLC', 'Collected: 12/01/2025 21:14')).toMatchObject({
      dateCollected: '2025-12-01T21:14',
    });
  });

  it('may have the release date at the end of the last page', () => {
    const pages = [
      pageOf(TABLE),
      pageOf(['Sodium           138         mmol/L    135-145', '', 'Results released 20 Feb 2024 13:18'], 2),
    ];
    expect(readReport(pages).metadata.dateReported).toBe('2024-02-20T13:18');
  });
});
