import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const readNames = (...lines: string[]) => readReport([pageOf(lines)]).results.map(({ testName }) => testName);

const HEAD = 'Test                    Result      Units     Reference Range';
const SODIUM = [
  'Sodium                  140         mmol/L    136-145',
  'Potassium               4.1         mmol/L    3.5-5.1',
];

describe('does not read as a result', () => {
  // prettier-ignore
  const LINES: readonly (readonly [about: string, line: string])[] = [
    ['headings in letters that nobody here knows', 'ﺺﺤﻔﻟا ﻢﺳا               ﺔﺠﻴﺘﻨﻟا      ةﺪﺣﻮﻟا    ﻲﻌﺟﺮﻤﻟا'],
    ['what letters mean',                          'S: sensible I: sensible con mayor exposición R: resistente (EUCAST)'],
    ['what classes mean',                          'RAST-Klassen: 0: < 0,35; 1: 0,35 - 0,69; 2: 0,70 - 3,49; 3: > 3,50 kU/l'],
    ['what the sender calls it',                   'Your ref: 51207         Lab ref: 31-7781'],
    ['a remark on a count',                        'Recuento revisado en frotis. No se observan agregados de plaquetas.'],
    ['a remark on the cells',                      'Film: normocytic normochromic red cells, few target cells present.'],
    ['what the laboratory asks itself',            'Lymphocytosis with smudge cells - ?reactive.'],
    ['who has seen to the laboratory',             'UKAS accredited medical laboratory No. 88123        *** End ***'],
    ['where the laboratory is',                    'Blackbutt Pathology Pty Ltd, 12 Gully Road, Port Anvil VIC 3999    Page 1 of 2'],
    ['what is aimed at',                           'PT target range on warfarin for a mechanical valve 2.5 - 3.5.'],
    ['a heading among results',                    'SEDIMENT                RESULT                       NORMAL'],
    ['what somebody has to take',                  'Start vitamin D 2000 units daily.'],
    ['when a further test is done',                'Reflex cryptococcal antigen (CrAg) performed, CD4 below 100 cells/uL.'],
    ['what a value means',                         'Ferritin over 1000 ug/L: risk of advanced fibrosis. Genotype (HFE C282Y)'],
    ['how sure a change is',                       'variation de moins de 20 % en 16 h, stable.'],
    ['what is aimed at in a treatment',            'Zu Quick/INR: therapeutischer Bereich bei Antikoagulation INR 2,0 – 3,0. Zu Digitoxin: toxisch ab 30 ng/ml'],
    ['a heading between stars',                    '*** BLOOD GASES, ARTERIAL ***'],
    ['what is said of a whole panel',              'Liver function test    (Borderline, Satisfactory)'],
    ['what a doctor says of a panel',              'Urea and electrolytes - (SR) - Normal, no action'],
    ['what a doctor says of another panel',        'Liver function test - (SR) - Satisfactory'],
    ['what is done about a panel',                 'Lipid profile - Normal - No Further Action'],
    ['the floor of a department',                  'Department of Clinical Haematology, Level 3'],
    ['the number of a patient',                    'Cheptoo, W. A. - RLH-0093317           Lab No. L26-004418'],
    ['where a doctor is, and his number',          'WARRNAMBOOL VIC 3280   Lab Ref: 26-7714003'],
    ['the head of a further page',                 'LABORATORIOS CLÍNICOS    Paciente: GUADALUPE BARRIENTOS     Expediente: 3307-418862'],
    ['a comment of somebody',                      'Nota del medico: valori nella norma per terapia in corso LDL 70 mg/dL'],
    ['a comment',                                  'Nota: potássio acima do esperado; colheita há mais de 6 horas da centrifugação'],
  ];

  it.each(LINES)('%s', (_, line) => {
    expect(readNames(HEAD, ...SODIUM, line)).toEqual(['Sodium', 'Potassium']);
  });
});

describe('reads as a result', () => {
  it('a finding in a row that ends with a period', () => {
    expect(readNames(HEAD, ...SODIUM, 'Hepatitis B surface antigen: negative.')).toHaveLength(3);
  });
});

describe('text in table columns that is not a result', () => {
  it('is a sample number', () => {
    expect(
      readNames(
        'Investigation          Result     Units        Reference range        Comment',
        'Full Blood Count   (Lab no. C,41.0220118.3)',
        'Haemoglobin            131 g/L                 115 - 165       Below low reference limit',
        'Platelets              241 10*9/L              150 - 450',
      ),
    ).toEqual(['Haemoglobin', 'Platelets']);
  });
});
