import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';
import type { ReportPage } from '../report-model.ts';

const TABLE = [
  'Test             Result      Units     Reference Range',
  'Glucose          92          mg/dL     70-99',
  'Urea             5.1         mmol/L    2.5-7.0',
];
const PATIENT = 'Patient: Jane Marsh     DOB: 14 Mar 1971';

/** A line, or a line with its font size. */
type HeadLine = string | readonly [size: number, line: string];

function pageWith(head: readonly HeadLine[], after: readonly string[] = []): ReportPage {
  const lines = [...head, PATIENT, '', ...TABLE, '', ...after];
  const words = lines.flatMap((entry, row) => {
    const [size, line] = typeof entry === 'string' ? [10, entry] : entry;
    return pageOf([line]).words.map((word) => ({
      ...word,
      fontSize: size,
      box: { ...word.box, y0: 20 + row * 24, y1: 20 + row * 24 + size },
    }));
  });
  return { ...pageOf([]), words };
}

const readLabName = (head: readonly HeadLine[], after?: readonly string[]) =>
  readReport([pageWith(head, after)]).metadata.labName;

describe('the name of a laboratory', () => {
  it.each<[string, readonly HeadLine[], string]>([
    ['a barcode in large print', [[24, '*LK7730415*'], 'Marshfield Laboratories'], 'Marshfield Laboratories'],
    ['letters of a barcode font', [[28, 'ÌLKA77304Î'], 'Ostermoor Diagnostics'], 'Ostermoor Diagnostics'],
    ['spaced characters of a barcode', [[20, 'L K A 7 7 3 0'], 'Fenwick Pathology'], 'Fenwick Pathology'],
    [
      'a code of letters and digits',
      [[20, 'LAB-24-00871'], 'Thornbury Medical Laboratory'],
      'Thornbury Medical Laboratory',
    ],
    ['an accession number with letters', [[18, 'ACCN KX88213'], 'Bellhaven Labs'], 'Bellhaven Labs'],
    [
      'an address with a number behind',
      [[14, 'Lindenallee 12'], 'MVZ Labor Wiesental'],
      'MVZ Labor Wiesental',
    ],
    [
      'an address with a road',
      [[14, 'Mill Road, Ashby'], 'Ashby Clinical Laboratory'],
      'Ashby Clinical Laboratory',
    ],
    [
      'the address of an institution',
      ['Medical Center Drive Suite 40', 'Redpine Diagnostics', 'Tampa, FL 33602'],
      'Redpine Diagnostics',
    ],
    [
      'an Italian street',
      [[14, 'Via Ospedale Vecchio'], 'Laboratorio Analisi Fontana'],
      'Laboratorio Analisi Fontana',
    ],
    ['a French street', [[14, "Avenue de l'Hôpital"], 'Laboratoire des Ormes'], 'Laboratoire des Ormes'],
    ['a Spanish street', [[14, 'Calle del Hospital s/n'], 'Laboratorios Olmedo'], 'Laboratorios Olmedo'],
    ['a phone', [[14, '+49 30 5550199'], 'Labor Havelstadt'], 'Labor Havelstadt'],
    [
      'an address in the web',
      [[16, 'brookfieldlab.example.com'], 'Brookfield Laboratory'],
      'Brookfield Laboratory',
    ],
    ['a person', [[15, 'Dr. med. Anna Winter'], 'Labor Winterthal'], 'Labor Winterthal'],
    [
      'a physician with a degree',
      [[15, 'John Farrow, MD'], 'Farrow Valley Laboratories'],
      'Farrow Valley Laboratories',
    ],
    ['a title of the page', [[22, 'Laboratory Report'], 'Quarry Hill Hospital'], 'Quarry Hill Hospital'],
    [
      'a title of a section',
      [[22, 'Clinical Laboratory Investigation'], 'Sable Point Health'],
      'Sable Point Health',
    ],
    ['a German title', [[22, 'Laborbefund'], 'Medizinisches Labor Elbtal'], 'Medizinisches Labor Elbtal'],
    ['a French title', [[22, 'Analyses de biologie médicale'], 'Laboratoire Verdier'], 'Laboratoire Verdier'],
    ['a Spanish title', [[22, 'Análisis Clínicos'], 'Laboratorio Robledal'], 'Laboratorio Robledal'],
    ['a Portuguese title', [[22, 'Exames Laboratoriais'], 'Laboratório Pinhal'], 'Laboratório Pinhal'],
    ['a title without a laboratory word', [[20, 'Endgültiger Bericht'], 'Synlab'], 'Synlab'],
    [
      'a brand below its barcode',
      [
        [26, '||| || ||| |'],
        [16, 'Labcorp'],
      ],
      'Labcorp',
    ],
    ['a known brand in usual print', ['Quest Diagnostics', [18, '7730 2215 8841']], 'Quest Diagnostics'],
  ])('is below %s', (_, head, name) => expect(readLabName(head)).toBe(name));

  it.each<[string, HeadLine, string]>([
    ['a known brand in usual print', 'Labcorp', 'Labcorp'],
    ['the house of a physician', [15, 'Dr. Winter & Partner'], 'Dr. Winter & Partner'],
    ['a known brand with a title', [15, 'Dr Lal PathLabs'], 'Dr Lal PathLabs'],
    ['a laboratory named after its street', [15, 'Wimpole Street Pathology'], 'Wimpole Street Pathology'],
    ['a laboratory before its address', 'Laboratorio Via Roma', 'Laboratorio Via Roma'],
    ['a name with a number', [15, 'Lab24'], 'Lab24'],
  ])('may be %s', (_, line, name) => expect(readLabName([line])).toBe(name));

  it.each([
    ['Performing laboratory: Alder Creek Laboratories', 'Alder Creek Laboratories'],
    ['Performed by: Labcorp Burlington, 1447 York Court', 'Labcorp Burlington'],
    ['Reported by: Stonebridge Diagnostics', 'Stonebridge Diagnostics'],
    ['Tests performed at: Quest Diagnostics', 'Quest Diagnostics'],
    ['Resulting lab: 00231 Rowan Hospital Laboratory', 'Rowan Hospital Laboratory'],
  ])('is told by a label: %s', (line, name) => expect(readLabName([[22, 'KX88213'], line])).toBe(name));

  it.each<[string, readonly HeadLine[], (readonly string[])?]>([
    ['a barcode alone', [[26, '*LK7730415*']]],
    ['spaced characters', [[26, 'L K A 7 7 3 0']]],
    ['an accession number', [[18, 'KX88213']]],
    ['a barcode with hyphens', [[20, 'LKA-77-304']]],
    ['the bars of a code', [[26, 'IIIlIIlI lIII']]],
    ['a street', [[16, 'Lindenallee 12']]],
    ['a city with its postal code', [[16, '10115 Berlin']]],
    ['a phone', [[16, 'Tel. 030 5550199']]],
    ['an address in the web', [[16, 'lab.example.org']]],
    ['a title', [[20, 'Laboratory Report']]],
    ['a final report', [[20, 'Final Report']]],
    ['a German title', [[20, 'Befund']]],
    ['a physician', [[16, 'Dr. Anna Winter']]],
    ['a technician in a label', ['Performed by: Anna Winter']],
    ['a number in a label', ['Laboratory: 00231']],
    ['a street in a label', ['Performed at: 1447 York Court']],
    ['a signature', [], ['Reported by: Dr. Anna Winter']],
    ['a date of a report', [[14, '14 March 2024']]],
  ])('is not %s', (_, head, after) => expect(readLabName(head, after)).toBeNull());
});
