import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';

const TABLE = [
  '',
  'Test             Result      Units     Reference Range',
  'Glucose          92          mg/dL     70-99',
];
const DEUTSCH = [
  '',
  'Analyse          Ergebnis    Einheit   Referenzbereich',
  'Glukose          92          mg/dl     70-99',
];
const FRANCAIS = [
  '',
  'Analyse          Résultat    Unité     Valeurs de référence',
  'Glucose          0,92        g/l       0,70-0,99',
];
const ESPANOL = [
  '',
  'Prueba           Resultado   Unidades  Valores de referencia',
  'Glucosa          92          mg/dL     70-99',
];
const ITALIANO = [
  '',
  'Esame            Risultato   Unità     Valori di riferimento',
  'Glucosio         92          mg/dl     70-99',
];
const PORTUGUES = [
  '',
  'Exame            Resultado   Unidade   Valores de referência',
  'Glicose          92          mg/dL     70-99',
];

function readHeader(lines: readonly string[], table: readonly string[] = TABLE) {
  const { metadata } = readReport([pageOf([...lines, ...table])]);
  const { patientFirstName, patientLastName, dob, gender, dateCollected, dateReported } = metadata;
  const name = patientFirstName ? `${patientLastName}, ${patientFirstName}` : patientLastName;
  return { name, dob, sex: gender, collected: dateCollected, reported: dateReported };
}

type ExpectedHeader = Partial<ReturnType<typeof readHeader>>;
type HeaderCase = readonly [
  how: string,
  lines: readonly string[],
  expected: ExpectedHeader,
  table?: readonly string[],
];

describe('report headers of many countries', () => {
  // prettier-ignore
  const CASES: readonly HeaderCase[] = [
    ['labels above values', [
      'Patient Name           Date of Birth      Sex        Collected',
      'Jane Marsh             03/14/1971         F          02/20/2024',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female', collected: '2024-02-20' }],
    ['a box with three columns', [
      'Patient Information            Specimen Information           Client Information',
      'MARSH, JANE                    Specimen: S1000200             Dr. T. Gallagher',
      'DOB: 03/14/1971  AGE: 52       Collected: 02/20/2024 08:15    12 Mill Road',
      'Gender: F                      Reported: 02/21/2024 17:02     SPRINGFIELD, IL 62701',
    ], { name: 'MARSH, JANE', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21T17:02' }],
    ['the physician beside the patient', [
      'PATIENT                        ORDERING PHYSICIAN',
      'Name: Jane Marsh               Name: Thomas Gallagher',
      'DOB: 14 Mar 1971               NPI: 1093817465',
    ], { name: 'Marsh, Jane', dob: '1971-03-14' }],
    ['the physician in front of the patient', [
      'ORDERING PHYSICIAN             PATIENT',
      'Name: Thomas Gallagher         Name: Jane Marsh',
      'Phone: 555-0100                Born: 14 Mar 1971     Female',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
    ['a sentence of a letter', [
      'RE: Jane Marsh, DOB: 14 Mar 1971',
    ], { name: 'Marsh, Jane', dob: '1971-03-14' }],
    ['a name in bold above the date of birth', [
      'Jane Marsh',
      'Date of birth: 14-Mar-1971     Female',
      'Collected: 20-Feb-2024 08:15',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15' }],
    ['age and sex in one', [
      'Name : Mr. RAVI KUMAR NAIR          Age/Sex : 45 Y / M',
      'Ref. By : Dr. ANIL MENON            Collected On : 20-Feb-2024 08:15 AM',
      'Reg. Date : 20-Feb-2024 07:58 AM    Reported On : 20-Feb-2024 05:10 PM',
    ], { name: 'NAIR, RAVI KUMAR', sex: 'male', collected: '2024-02-20T08:15', reported: '2024-02-20T17:10' }],
    ['name, age and sex under one label', [
      'Patient Name/Age/Sex: Meera Nair / 45 Y / F',
    ], { name: 'Nair, Meera', sex: 'female' }],
    ['date, time and subject in other orders', [
      'Surname: MARSH     Forename(s): Jane Ann     Sex: Female',
      'Date/Time of Specimen Collection: 20/02/2024 08:15    Date & Time Reported: 21/02/2024 17:02',
    ], { name: 'MARSH, Jane Ann', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21T17:02' }],
    ['collected and received under one label', [
      'Patient: Jane Marsh',
      'Collected / Received: 20/02/2024 08:15  21/02/2024 17:02',
    ], { name: 'Marsh, Jane', collected: '2024-02-20T08:15' }],

    ['an Ontario laboratory', [
      'Patient Name: MARSH, JANE A        Health Card #: 1234-567-890 AB',
      'Date of Birth: 1971-Mar-14 (52 yrs)     Sex: F',
      'Date of Service: 2024-02-20             Ordering Provider: GALLAGHER, T.',
    ], { name: 'MARSH, JANE A', dob: '1971-03-14', sex: 'female', collected: '2024-02-20' }],
    ['labels in two languages', [
      'Patient Name / Nom du patient: MARSH, JANE      DOB / DDN: 1971-03-14      Sex / Sexe: F',
      'Collected / Prélevé: 2024-02-20 08:15           Reported / Rapporté: 2024-02-21 10:05',
    ], { name: 'MARSH, JANE', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21T10:05' }],
    ['labels in two alphabets', [
      'Patient Name اسم المريض : JANE MARSH         Sex الجنس : Female',
      'Date of Birth تاريخ الميلاد : 14-Mar-1971',
    ], { name: 'MARSH, JANE', dob: '1971-03-14', sex: 'female' }],
    ['a newborn, who is called by the mother', [
      'Patient Name : B/O MRS. MEERA NAIR       Age/Gender : 3 Days / Male',
      'Sample Collected : 20-Feb-2024 08:15     Report Released : 20-Feb-2024 11:02',
    ], { name: 'NAIR, B/O MEERA', sex: 'male', collected: '2024-02-20T08:15', reported: '2024-02-20T11:02' }],
    ['whose child somebody is', [
      'Name : Mr. RAVI NAIR S/O MOHAN NAIR      Sex / Age : M / 45 Yrs',
    ], { name: 'NAIR, RAVI', sex: 'male' }],
    ['sex and age behind the name', [
      'NAME: MARSH, JANE F/52       DATE COLLECTED: 20 FEB 2024',
    ], { name: 'MARSH, JANE', sex: 'female', collected: '2024-02-20' }],
    ['the title behind the name', [
      'Patient: MARSH, Jane (Mrs)      D.O.B: 1971/03/14',
      'Requesting Dr: GALLAGHER, Tom   Sample Taken: 2024/02/20 08:15',
    ], { name: 'MARSH, Jane', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15' }],
    ['a kit for the home', [
      'Jane Marsh   |   Female   |   52 years old   |   Born March 14, 1971',
      'Sample collected: February 20, 2024     Results released: February 24, 2024',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female', collected: '2024-02-20', reported: '2024-02-24' }],
    ['a portal', [
      'Name: Jane Marsh | DOB: 3/14/1971 | MRN: 00112233 | PCP: Thomas Gallagher, MD',
      'Collected on Feb 20, 2024 8:15 AM',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', collected: '2024-02-20T08:15' }],
    ['an age in words behind the date of birth', [
      'Marsh, Jane          MRN: 100200     DOB: 14-Mar-1971     52 year old Female',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
    ['a fax in capitals', [
      'PT: MARSH,JANE      DOB:03/14/71      SEX:F      AGE:52Y      ACCT#: V0001234',
      'DR: GALLAGHER,THOMAS            COLL: 02/20/24-0815            RPTD: 02/21/24-1005',
    ], { name: 'MARSH, JANE', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21T10:05' }],
    ['other names in the head', [
      'Doctor Name: Thomas Gallagher      Hospital Name: Mill Road      Patient Name: Jane Marsh',
      'Test Name: Iron Studies            Date Taken: 20-Feb-2024',
    ], { name: 'Marsh, Jane', collected: '2024-02-20' }],
    ['the order of the names in the label', [
      'Patient Name (Last, First)        Date of Birth      Sex',
      'Marsh, Jane                       14-Mar-1971        Female',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
    ['a name for which there was no room', [
      'Patient Name : VENKATA SUBRAMANIAN   Age/Sex : 45 Y / M',
      '               KRISHNAMURTHY         Collected : 20-Feb-2024 08:15',
    ], { name: 'KRISHNAMURTHY, VENKATA SUBRAMANIAN', sex: 'male', collected: '2024-02-20T08:15' }],
    ['a street below the name', [
      'Patient Name : JANE MARSH            Age/Sex : 52 Y / F',
      '               ROSEWOOD COTTAGE      Collected : 20-Feb-2024 08:15',
    ], { name: 'MARSH, JANE', sex: 'female' }],
    ['a year of birth in two digits, of which only the century before fits', [
      'PT: MARSH,JANE     DOB: 03/14/31     COLLECTED: 02/20/24',
    ], { name: 'MARSH, JANE', dob: '1931-03-14', collected: '2024-02-20' }],
    ['labels without any sign', [
      'Results for Jane Marsh',
      'Patient Jane Marsh     Date of birth 14 Mar 1971     Sex F',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
    ['a newborn', [
      'Patient: B/O MEERA NAIR     DOB: 20-Feb-2024     Age: 0 Days     Collected: 20-Feb-2024',
    ], { dob: '2024-02-20', collected: '2024-02-20' }],
    ['a name at a distance from its label', [
      'Patient                                        Jane Marsh',
      'Date of birth                                  14 March 1971',
      'Gender                                         Female',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
    ['values in boxes under small labels', [
      'NAME                    BIRTH DATE       GENDER       COLLECTION DATE/TIME',
      '',
      'MARSH, JANE             14-MAR-1971      FEMALE       20-FEB-2024 08:15',
    ], { name: 'MARSH, JANE', dob: '1971-03-14', sex: 'female', collected: '2024-02-20T08:15' }],

    ['a star for the birth', [
      'Frau Erika Hinz, *12.03.1971',
      'Einsender: Praxis Dr. med. Anton Kunz',
      'Entnahme: 20.02.2024 08:15   Eingang: 20.02.2024 12:00   Befunddatum: 21.02.2024',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21' }, DEUTSCH],
    ['all in one line', [
      'Patient: Hinz, Erika, geb. 12.03.1971, weiblich',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'female' }, DEUTSCH],
    ['a date of birth without a label', [
      'Patient: Hinz Erika (12.03.1971) w',
      'Zuweiser: Dr. med. Anton Kunz',
    ], { dob: '1971-03-12', sex: 'female' }, DEUTSCH],
    ['a Swiss practice with the physician in front', [
      'Auftraggeber                   Patient',
      'Dr. med. Anton Kunz            Hinz Erika',
      'Dorfstrasse 7                  12.03.1971, w',
      '8400 Winterthur                Entnahme 20.02.2024',
    ], { name: 'Erika, Hinz', collected: '2024-02-20' }, DEUTSCH],
    ['a Swiss practice with two names under labels', [
      'Arzt:     Anton Kunz           Auftrags-Nr.: 24-100200',
      'Patient:  Erika Hinz           Geb.-Dat.: 12.03.1971   Geschl.: W',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'female' }, DEUTSCH],
    ['a window for an address', [
      'Frau',
      'Erika Hinz',
      'Dorfstraße 7',
      '50667 Köln',
      '',
      'Geburtsdatum 12.03.1971        Abnahmedatum 20.02.2024 08:15',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T08:15' }, DEUTSCH],
    ['a window with the physician, who is not the patient', [
      'Herrn',
      'Dr. med. Anton Kunz',
      'Dorfstraße 7',
      'Patient: Hinz, Erika   geb. 12.03.1971',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'other' }, DEUTSCH],
    ['family name and given name apart', [
      'Name: Hinz          Vorname: Erika       Geburtsdatum: 12.03.1971     Geschlecht: weiblich',
    ], { name: 'Hinz, Erika', dob: '1971-03-12', sex: 'female' }, DEUTSCH],
    ['family name and given name in one label', [
      'Name, Vorname: von Hinz Erika',
    ], { name: 'von Hinz, Erika' }, DEUTSCH],

    ['a French address', [
      'Madame MARTIN Renée                 Dossier n° : 24B1002',
      'Née le 12/03/1971 (52 ans)          Prescripteur : Dr LEROY Paul',
      'Prélevé le 20/02/2024 à 08h15       Edité le 20/02/2024 à 16:40',
    ], { name: 'MARTIN, Renée', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-20T16:40' }, FRANCAIS],
    ['a name at birth', [
      'Nom de naissance : LEROY     Nom d\'usage : MARTIN     Prénom : Renée     Né(e) le : 12/03/1971     Sexe : F',
    ], { name: 'MARTIN, Renée', dob: '1971-03-12', sex: 'female' }, FRANCAIS],
    ['née behind the name', [
      'Patient : Mme MARTIN Renée née LEROY     Date de naissance : 12/03/1971',
    ], { name: 'MARTIN, Renée', dob: '1971-03-12', sex: 'female' }, FRANCAIS],
    ['Monsieur and his birth in one line', [
      'Monsieur MARTIN Paul, né le 12/03/1971',
    ], { name: 'MARTIN, Paul', dob: '1971-03-12', sex: 'male' }, FRANCAIS],

    ['a Spanish hospital', [
      'Apellidos y nombre: RUIZ VEGA, LUCÍA      NHC: 100200',
      'F. Nac.: 12/03/1971     Sexo: Mujer       Médico: Dr. PABLO SOTO',
      'F. Extracción: 20/02/2024 08:15           F. Informe: 21/02/2024 10:05',
    ], { name: 'RUIZ VEGA, LUCÍA', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21T10:05' }, ESPANOL],
    ['two family names under labels of their own', [
      'Primer Apellido: RUIZ     Segundo Apellido: VEGA     Nombre: LUCÍA     Fecha de nacimiento: 12/03/1971',
    ], { name: 'RUIZ VEGA, LUCÍA', dob: '1971-03-12' }, ESPANOL],
    ['M alone in Spanish, which may be mujer or masculino', [
      'Paciente: LUCÍA RUIZ VEGA     Sexo: M     Edad: 52 años',
    ], { name: 'VEGA, LUCÍA RUIZ', sex: 'other' }, ESPANOL],

    ['an Italian hospital', [
      'Cognome: ROSSI          Nome: MARIA           Sesso: F',
      'Nata il: 12/03/1971     Cod. Fisc.: RSSMRA71C52H501X',
      'Data e ora prelievo: 20/02/2024 08:15         Referto del: 21/02/2024',
    ], { name: 'ROSSI, MARIA', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T08:15', reported: '2024-02-21' }, ITALIANO],
    ['born somewhere on a day', [
      'Sig.ra ROSSI MARIA, nata a ROMA il 12/03/1971',
    ], { dob: '1971-03-12', sex: 'female' }, ITALIANO],

    ['a Brazilian laboratory', [
      'Nome: MARIA DA SILVA               Nasc.: 12/03/1971 (52 anos)',
      'Médico: Dr. PAULO SOUZA            Sexo: Feminino',
      'Coletado em: 20/02/2024 07:15      Liberado em: 20/02/2024 15:40',
    ], { name: 'DA SILVA, MARIA', dob: '1971-03-12', sex: 'female', collected: '2024-02-20T07:15', reported: '2024-02-20T15:40' }, PORTUGUES],
    ['M in Portuguese', [
      'Paciente: JOSÉ ALMEIDA      Sexo: M     Data de nascimento: 12/03/1971',
    ], { name: 'ALMEIDA, JOSÉ', sex: 'male', dob: '1971-03-12' }, PORTUGUES],

    ['a Dutch woman, whose letter is V', [
      'Naam patiënt: J. de Vries     Geboortedatum: 12-03-1971     Geslacht: V',
      'Afnamedatum: 20-02-2024',
    ], { name: 'de Vries, J.', dob: '1971-03-12', sex: 'female', collected: '2024-02-20' }],
    ['words that a reading of a picture has glued', [
      'PatientName:JaneMarsh    DOB:14/03/1971    Sex:Female',
    ], { name: 'Marsh, Jane', dob: '1971-03-14', sex: 'female' }],
  ];

  for (const [how, lines, expected, table] of CASES)
    it(`reads ${how}`, () => {
      expect(readHeader(lines, table)).toMatchObject(expected);
    });
});

it('reads the header of the second page after a cover page', () => {
  const cover = pageOf(['Mill Road Laboratory', 'Your results are on the next page.']);
  const second = pageOf(['Patient: Jane Marsh     DOB: 14 Mar 1971', ...TABLE], 2);
  expect(readReport([cover, second]).metadata).toMatchObject({ patientLastName: 'Marsh', dob: '1971-03-14' });
});

/** A wrong patient is worse than none. */
describe('text that is not patient data', () => {
  // prettier-ignore
  const CASES: readonly HeaderCase[] = [
    ['the physician alone', ['Referring Physician: Thomas Gallagher', 'Dr. Anna Kunz'], { name: null }],
    ['a physician by letters behind the name', ['Thomas Gallagher, MD', 'Phone: 555-0100'], { name: null }],
    ['a place', ['Springfield, Illinois', 'Phone: 555-0100'], { name: null }],
    ['two patients', ['Patient: Jane Marsh', 'Patient name: Ravi Nair'], { name: null }],
    ['two births', ['Patient: Jane Marsh', 'DOB: 14 Mar 1971', 'Date of birth: 15 Mar 1971'], { dob: null }],
    ['a birth after the sample', ['Patient: Jane Marsh', 'DOB: 14 Mar 2024', 'Collected: 20 Feb 2024'], { dob: null }],
    ['a birth that can be read two ways', ['Patient: Jane Marsh', 'DOB: 04/03/1971'], { dob: null }],
    ['title and sex that disagree', ['Patient: Mr Jane Marsh', 'Sex: F'], { sex: 'other' }],
    ['both sexes to be ticked', ['Patient: Jane Marsh', 'Sex: Male / Female'], { sex: 'other' }],
    ['a heading of a table', ['Name             Value'], { name: null }],
    ['the mother of the patient', ["Mother's Name: Jane Marsh", 'Father: Ravi Nair'], { name: null }],
    ['another person of the hospital', ['Hospital Name: Mill Road', 'Doctor Name: Jane Marsh', 'Lab Manager: Ravi Nair'], { name: null }],
    ['the day of the report beside the name', ['Patient: Jane Marsh       20 Feb 2024', 'Collected: 20 Feb 2024'], { dob: null }],
    ['a house that has sent the sample', ['Cliente: Clínica Norte', 'Client Name: Mill Road Surgery'], { name: null }],
    ['a table of results', ['Name             Result      Units', 'Ferritin         92          ng/mL'], { name: null }],
    ['a birth of another age than the one printed', ['Patient: Jane Marsh', 'DOB: 14 Mar 1971', 'Age: 34', 'Collected: 20 Feb 2024'], { dob: null }],
    ['a birth on the day of the sample', ['Patient: Jane Marsh', 'DOB: 20 Feb 2024', 'Collected: 20 Feb 2024'], { dob: null }],
    ['the birth of a parent', ['Guarantor: Ravi Nair     DOB: 14 Mar 1971', 'Patient: Meera Nair'], { dob: null }],
    ['the place of birth', ['Patient: Jane Marsh', 'Place of birth: Leeds'], { dob: null }],
  ];

  for (const [what, lines, expected, table] of CASES)
    it(`is ${what}`, () => {
      expect(readHeader(lines, table)).toMatchObject(expected);
    });
});

describe('a birth label of another language', () => {
  it('is ignored if no other label is in that language', () => {
    const { dob } = readHeader([
      'Patient: MARSH, JANE         Referred by: Dr N Vale',
      'DOB: 14/03/1971   Age: 53 Y   Sex: F   Your ref: 00428',
      'UR:                          Requested 20/02/24   Reported 21/02/24',
      '09/01/24    07:55',
    ]);
    expect(dob).toBe('1971-03-14');
  });
});
