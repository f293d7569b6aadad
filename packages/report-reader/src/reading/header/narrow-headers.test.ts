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

const metadataOf = (...lines: string[]) => readReport([pageOf([...lines, ...TABLE])]).metadata;

/** In narrow print: a letter is 4 points wide, a blank 2, and three blanks separate labels. */
function narrow(lines: readonly string[]): ReportPage {
  const words = lines.flatMap((line, row) => {
    let x = 20;
    return line.split(/(\s+)/).flatMap((piece) => {
      const x0 = x;
      x += piece.length * (/\s/.test(piece) ? 2 : 4);
      const box = { x0, x1: x, y0: 20 + row * 14, y1: 30 + row * 14 };
      return /\s/.test(piece) || piece === ''
        ? []
        : [{ text: piece, box, confidence: 1, page: 1, fontSize: 9 }];
    });
  });
  const table = pageOf(TABLE).words.map((word) => ({
    ...word,
    box: { ...word.box, y0: word.box.y0 + 60, y1: word.box.y1 + 60 },
  }));
  return { ...pageOf([]), words: [...words, ...table] };
}

describe('the report header', () => {
  it('may have labels without colons in narrow print, with gaps wider than the blanks', () => {
    expect(
      readReport([
        narrow([
          'Patient Sorensen-Diaz, Oliver   DOB 09/14/2015 (9 Y)   Sex M   Acct SAIL 33019',
          'Physician Hollis Nakagawa, MD   Collected 05/21/2025   Received 05/22/2025   Reported 05/27/2025',
        ]),
      ]).metadata,
    ).toMatchObject({
      patientFirstName: 'Oliver',
      patientLastName: 'Sorensen-Diaz',
      gender: 'male',
      dateCollected: '2025-05-21',
      dateReported: '2025-05-27',
    });
  });

  it('interprets the sex letter with a RUT, and leaves it open otherwise', () => {
    const lines = (id: string) => [
      'Paciente: Vergara Antilef, Bastián            Examen: 02-07-2025',
      `${id}: 99.111.222-3                             Sexo: M`,
    ];
    expect(metadataOf(...lines('RUT')).gender).toBe('male');
    expect(metadataOf(...lines('DNI')).gender).toBe('other');
  });
});

describe('a letter', () => {
  const LETTER = [
    'Date of letter: 6 November 2025',
    'Dear Dr Achterberg,',
    'Re: Mrs Philippa Garside, d.o.b. 14/05/1968',
  ];

  it('has its own date, and the collection date in its text', () => {
    expect(
      metadataOf(
        ...LETTER,
        'I reviewed this lady on 2 November 2025. Bloods taken in clinic',
        'on 3 November 2025 show (normal range in brackets):',
      ),
    ).toMatchObject({ dateCollected: '2025-11-03', dateReported: '2025-11-06' });
  });

  it('has no collection date if blood was taken on two days', () => {
    const { dateCollected } = metadataOf(
      ...LETTER,
      'Bloods taken in clinic',
      'on 3 November 2025 were normal. Samples collected at home',
      'on 5 November 2025 show:',
    );
    expect(dateCollected).toBeNull();
  });
});

describe('the name of a laboratory', () => {
  const heads: readonly (readonly [about: string, lines: readonly string[], name: string])[] = [
    [
      'is no test that is called as an authority is',
      ['LABORGEMEINSCHAFT VOGELSBERG', 'ASL-O            112         IU/ml     < 200'],
      'LABORGEMEINSCHAFT VOGELSBERG',
    ],
    [
      'goes on below, though a line of another column lies between',
      [
        'BIOVERT - Laboratoire de Biologie Médicale du         Mme Anna KERVELLA',
        '                                                      Née le 19/02/1983',
        'Trégor',
      ],
      'BIOVERT - Laboratoire de Biologie Médicale du Trégor',
    ],
    [
      'is without the mark beside it, which it has once more',
      ['NOPAL AZUL Laboratorios Clínicos Nopal Azul'],
      'Laboratorios Clínicos Nopal Azul',
    ],
  ];

  it('is not the portal that shows the results, and may follow the page title', () => {
    const page = narrow(['myPrairieHealth', 'Lab results   Prairie Sky Laboratories      PHN 9990 111']);
    expect(readReport([page]).metadata.labName).toBe('Prairie Sky Laboratories');
  });

  it.each(heads)('%s', (_, lines, name) => {
    const head = lines.flatMap((line, row) =>
      pageOf([line]).words.map((word) => ({
        ...word,
        box: { ...word.box, y0: 20 + row * 6, y1: 30 + row * 6 },
      })),
    );
    const table = pageOf(TABLE).words.map((word) => ({
      ...word,
      box: { ...word.box, y0: word.box.y0 + 200, y1: word.box.y1 + 200 },
    }));
    expect(readReport([{ ...pageOf([]), words: [...head, ...table] }]).metadata.labName).toBe(name);
  });
});
