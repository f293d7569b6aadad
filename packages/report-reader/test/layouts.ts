import type { ReportConventions, GeneratedReport } from './generated-report.ts';
import { type TableStyle, NOTO, NOTO_BOLD } from './table.ts';

/** A kind of report: how it words things and how it looks. */
export interface ReportLayout {
  readonly manner: ReportConventions;
  readonly style: TableStyle;
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');
export const usDate = (y: number, m: number, d: number): string => `${twoDigits(m)}/${twoDigits(d)}/${y}`;
export const slashDate = (y: number, m: number, d: number): string => `${twoDigits(d)}/${twoDigits(m)}/${y}`;
export const dotDate = (y: number, m: number, d: number): string => `${twoDigits(d)}.${twoDigits(m)}.${y}`;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const namedDate = (y: number, m: number, d: number): string => `${twoDigits(d)}-${MONTHS[m - 1]}-${y}`;

const TIMES = ['Times-Roman', 'Times-Bold'] as const;
const COURIER = ['Courier', 'Courier-Bold'] as const;
const SANS = [NOTO, NOTO_BOLD] as const;

const dashed = (low: string, high: string) => `${low} - ${high}`;

export const heads = {
  en: (r: GeneratedReport) =>
    [
      [
        [40, `Patient: ${r.last}, ${r.first}`],
        [300, `DOB: ${r.dob}`],
        [430, `Sex: ${r.sex}`],
      ],
      [
        [40, `Accession: ${r.specimen}`],
        [300, `Collected: ${r.collected} 08:15`],
      ],
      [
        [40, 'Phone: (555) 123-4567'],
        [300, `Reported: ${r.reported}`],
      ],
    ] as const,
  es: (r: GeneratedReport) =>
    [
      [
        [40, `Paciente: ${r.first} ${r.last}`],
        [300, `Fecha de nacimiento: ${r.dob}`],
      ],
      [
        [40, `Sexo: ${r.sex === 'M' ? 'Masculino' : 'Femenino'}`],
        [300, `Folio: ${r.specimen}`],
      ],
      [
        [40, `Fecha de toma: ${r.collected}`],
        [300, `Fecha de informe: ${r.reported}`],
      ],
    ] as const,
  fr: (r: GeneratedReport) =>
    [
      [[300, `${r.sex === 'M' ? 'Monsieur' : 'Madame'} ${r.last} ${r.first}`]],
      [
        [40, `Né(e) le : ${r.dob}`],
        [300, `Dossier n° : ${r.specimen}`],
      ],
      [
        [40, `Prélevé le : ${r.collected} à 08h15`],
        [300, `Edité le : ${r.reported}`],
      ],
    ] as const,
  de: (r: GeneratedReport) =>
    [
      [
        [40, `Name, Vorname: ${r.last}, ${r.first}`],
        [320, `Geb.-Datum: ${r.dob}`],
        [460, `Geschlecht: ${r.sex === 'M' ? 'm' : 'w'}`],
      ],
      [
        [40, `Auftragsnr.: ${r.specimen}`],
        [320, `Entnahme: ${r.collected}`],
      ],
      [
        [40, 'Einsender: Praxis Dr. Beispiel'],
        [320, `Befunddatum: ${r.reported}`],
      ],
    ] as const,
  it: (r: GeneratedReport) =>
    [
      [
        [40, `Cognome: ${r.last}`],
        [220, `Nome: ${r.first}`],
        [380, `Sesso: ${r.sex}`],
      ],
      [
        [40, `Data di nascita: ${r.dob}`],
        [300, `Accettazione n. ${r.specimen}`],
      ],
      [
        [40, `Data prelievo: ${r.collected}`],
        [300, `Data referto: ${r.reported}`],
      ],
    ] as const,
  pt: (r: GeneratedReport) =>
    [
      [
        [40, `Paciente: ${r.first} ${r.last}`],
        [320, `Data de Nascimento: ${r.dob}`],
      ],
      [
        [40, `Sexo: ${r.sex === 'M' ? 'Masculino' : 'Feminino'}`],
        [320, `Protocolo: ${r.specimen}`],
      ],
      [
        [40, `Data da Coleta: ${r.collected}`],
        [320, `Data de Emissão: ${r.reported}`],
      ],
    ] as const,
};

const NOTES = [
  'Optimal: <100 mg/dL  Near optimal: 100-129 mg/dL  Borderline high: 130-159 mg/dL  High: >=160 mg/dL',
  'For patients with diabetes a goal of less than 7 % is recommended; values above 9.0 % indicate poor control in 3 of 4 cases.',
  'This test was developed and its performance characteristics determined by the laboratory. It has not been cleared by the FDA. CLIA 00D0000000.',
] as const;

// prettier-ignore
export const TABLE_LAYOUTS: Readonly<Record<string, ReportLayout>> = {
  /** United States: flag behind the value, unit and range apart, sites, notes. */
  usHospital: {
    manner: { lang: 'en', lab: 'Lakeside Regional Medical Center', date: usDate, panels: ['cbc', 'chem', 'lip', 'endo', 'ua'] },
    style: { paper: 'LETTER', headAgain: true, head: heads.en, notes: NOTES, footer: 'Page # of 3  |  Laboratory Director: J. Example MD  |  Fax 555-987-6543',
      columns: [
        { print: ['name'], x: 40, width: 190, head: 'Component' }, { print: ['value', 'flag'], x: 240, width: 90, head: 'Your Value' },
        { print: ['range'], x: 340, width: 90, head: 'Standard Range' }, { print: ['unit'], x: 450, width: 90, head: 'Units' } ] } },
  /** United States: ranges before results. */
  usRangeFirst: {
    manner: { lang: 'en', lab: 'Prairie Clinical Labs', date: usDate, panels: ['chem', 'lip', 'coag', 'endo'], upper: true, between: dashed },
    style: { head: heads.en, font: COURIER, size: 8.5, panelSize: 9,
      columns: [
        { print: ['name'], x: 40, width: 175, head: 'TEST' }, { print: ['range'], x: 230, width: 90, head: 'REFERENCE' },
        { print: ['flag'], x: 330, width: 20, head: 'FLG' }, { print: ['value'], x: 360, width: 60, align: 'right', head: 'RESULT' },
        { print: ['unit'], x: 432, width: 90, head: 'UNITS' } ] } },
  /** United States: result columns in and out of range, wrapped names. */
  usNarrow: {
    manner: { lang: 'en', lab: 'Bluebird Diagnostics', date: usDate, panels: ['cbc', 'chem', 'sero', 'endo'], upTo: (a) => `< OR = ${a}`, from: (a) => `> OR = ${a}` },
    style: { head: heads.en, boldAbnormal: true, methods: ['', '', ''], footer: 'Page # of 4',
      columns: [
        { print: ['name'], x: 40, width: 95, head: 'Test Name' }, { print: ['normal'], x: 160, width: 60, head: 'In Range' },
        { print: ['abnormal', 'flag'], x: 240, width: 70, head: 'Out Of Range' }, { print: ['range', 'unit'], x: 330, width: 140, head: 'Reference Range' },
        { print: ['lab'], x: 510, width: 30, head: 'Lab' } ] } },
  /** United Kingdom: no headings, brackets, asterisk before what is out of range. */
  ukPractice: {
    manner: { lang: 'en', si: true, lab: 'Northmoor NHS Pathology', date: namedDate, panels: ['cbc', 'chem', 'lip', 'endo'], between: dashed,
      unitNames: (u) => ({ 'G/L': '10*9/L', 'T/L': '10*12/L', µmol: 'umol' })[u] ?? u },
    style: { head: heads.en, heads: false, bracketRange: ['[', ']'], flags: { H: '*', L: '*', A: '*' },
      columns: [
        { print: ['flag'], x: 34, width: 10, head: '' }, { print: ['name'], x: 48, width: 200, head: '' },
        { print: ['value', 'unit'], x: 260, width: 130, head: '' }, { print: ['range'], x: 400, width: 120, head: '' } ] } },
  /** India: methods under names, result bold. */
  indiaMethods: {
    manner: { lang: 'en', lab: 'Arogya Diagnostics', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo', 'ua'], between: dashed,
      unitNames: (u) => ({ '10^3/µL': 'thou/mm3', '10^6/µL': 'mill/mm3', 'g/dL': 'gm/dL' })[u] ?? u },
    style: { head: (r) => [[[40, `Patient Name : Mr. ${r.first} ${r.last}`], [320, `Age/Gender : 45 Y/${r.sex}`]], [[40, `Lab No. : ${r.specimen}`], [320, `Collected : ${r.collected} 09:10 AM`]], [[320, `Reported : ${r.reported} 06:40 PM`]]],
      font: TIMES, size: 10, methods: ['(Method: Photometry)', '(Electrical Impedance)', '(Hexokinase)', '(CLIA)'], flags: { H: 'High', L: 'Low', A: 'Abnormal' }, footer: 'Page # of 5  *** End Of Report ***',
      columns: [
        { print: ['name'], x: 40, width: 200, head: 'Investigation' }, { print: ['value'], x: 260, width: 60, head: 'Observed Value' },
        { print: ['flag'], x: 350, width: 40, head: 'Status' }, { print: ['unit'], x: 400, width: 60, head: 'Unit' },
        { print: ['range'], x: 470, width: 90, head: 'Biological\nRef. Interval' } ] } },
  /** Germany: plus and minus as flags, previous value at the right, decimal commas. */
  deLabor: {
    manner: { lang: 'de', comma: true, lab: 'MVZ Labor Beispielstadt', date: dotDate, panels: ['cbc', 'chem', 'lip', 'endo', 'coag'], between: dashed, upTo: (a) => `< ${a}`, from: (a) => `> ${a}`,
      unitNames: (u) => ({ '10^3/µL': '/nl', '10^6/µL': '/pl', 'mL/min/1.73m2': 'ml/min/1,73m²' })[u] ?? u },
    style: { head: heads.de, flags: { H: '+', L: '-', A: '*' }, footer: 'Seite # von 3',
      columns: [
        { print: ['name'], x: 40, width: 170, head: 'Untersuchung' }, { print: ['value'], x: 225, width: 55, align: 'right', head: 'Ergebnis' },
        { print: ['flag'], x: 286, width: 12, head: '' }, { print: ['unit'], x: 305, width: 85, head: 'Einheit' },
        { print: ['range'], x: 400, width: 80, head: 'Referenzbereich' }, { print: ['previous'], x: 500, width: 50, head: 'Vorwert' } ] } },
  /** Switzerland: arrows, reference before the result. */
  chLabor: {
    manner: { lang: 'de', si: true, lab: 'Labor Musterspital Zürich', date: dotDate, panels: ['cbc', 'chem', 'lip', 'endo'], between: (a, b) => `${a} – ${b}`, upTo: (a) => `bis ${a}`, from: (a) => `> ${a}` },
    style: { head: heads.de, font: SANS, size: 8.5, flags: { H: '↑', L: '↓', A: '*' },
      columns: [
        { print: ['name'], x: 40, width: 180, head: 'Analyse' }, { print: ['flag', 'value'], x: 240, width: 70, align: 'right', head: 'Resultat' },
        { print: ['unit'], x: 330, width: 85, head: 'Einheit' }, { print: ['range'], x: 440, width: 90, head: 'Referenz' } ] } },
  /** France: leaders, ranges in brackets, earlier results. */
  frBiologie: {
    manner: { lang: 'fr', si: true, comma: true, lab: 'Laboratoire de Biologie Médicale des Tilleuls', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo', 'coag'], between: (a, b) => `${a} à ${b}`, upTo: (a) => `Inf. à ${a}`, from: (a) => `Sup. à ${a}` },
    style: { head: heads.fr, leader: '.', bracketRange: ['(', ')'], flags: { H: 'H', L: 'B', A: '*' }, footer: 'Page #/3 - Biologiste responsable : Dr Exemple',
      columns: [
        { print: ['name'], x: 40, width: 200, head: '' }, { print: ['value'], x: 245, width: 40, align: 'right', head: 'Résultats' }, { print: ['unit'], x: 292, width: 90, head: '' },
        { print: ['range'], x: 390, width: 95, head: 'Valeurs de référence' }, { print: ['previous'], x: 500, width: 50, head: 'Antériorités' } ] } },
  /** Spain: asterisk before values, brackets. */
  esHospital: {
    manner: { lang: 'es', comma: true, lab: 'Hospital Universitario Ejemplo', date: slashDate, panels: ['cbc', 'chem', 'lip', 'ua'], between: (a, b) => `${a} - ${b}`, upTo: (a) => `< ${a}`,
      unitNames: (u) => ({ '10^3/µL': 'x10³/µL', '10^6/µL': 'x10⁶/µL' })[u]?.replace('⁶', '^6') ?? u },
    style: { head: heads.es, flags: { H: '*', L: '*', A: '*' }, flagFirst: true, glued: true, bracketRange: ['[', ']'], footer: 'Página # de 2',
      columns: [
        { print: ['name'], x: 40, width: 200, head: 'Determinación' }, { print: ['flag', 'value'], x: 260, width: 70, align: 'right', head: 'Resultado' },
        { print: ['unit'], x: 345, width: 90, head: 'Unidades' }, { print: ['range'], x: 445, width: 110, head: 'Valores de referencia' } ] } },
  /** Italy: asterisks behind, method column at the right. */
  itReferto: {
    manner: { lang: 'it', comma: true, lab: 'Laboratorio Analisi San Esempio', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo', 'ua'], between: dashed, upTo: (a) => `fino a ${a}`, from: (a) => `maggiore di ${a}` },
    style: { head: heads.it, flags: { H: '*', L: '*', A: '*' }, methods: ['Colorimetrico', 'ISE', 'Citometria a flusso', 'CLIA'], methodsInline: true, footer: 'Pagina # di 4',
      columns: [
        { print: ['name'], x: 40, width: 170, head: 'Esame' }, { print: ['value', 'flag'], x: 220, width: 70, head: 'Esito' }, { print: ['unit'], x: 300, width: 75, head: 'U.M.' },
        { print: ['range'], x: 380, width: 90, head: 'Valori di riferimento' }, { print: ['method'], x: 490, width: 80, head: 'Metodo' } ] } },
  /** Mexico: unit last, words for flags. */
  mxClinica: {
    manner: { lang: 'es', lab: 'Laboratorio Clínico del Ejemplo', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo', 'ua', 'sero'], between: dashed, upTo: (a) => `Hasta ${a}`, from: (a) => `Mayor de ${a}` },
    style: { head: heads.es, boldAbnormal: true, flags: { H: 'Alto', L: 'Bajo', A: 'Anormal' },
      columns: [
        { print: ['name'], x: 40, width: 190, head: 'Estudio' }, { print: ['value'], x: 240, width: 60, align: 'center', head: 'Resultado' }, { print: ['flag'], x: 310, width: 45, head: '' },
        { print: ['range'], x: 370, width: 100, align: 'center', head: 'Valores de Referencia' }, { print: ['unit'], x: 480, width: 80, head: 'Unidades' } ] } },
  /** Brazil: leaders and words of comparison. */
  brTabela: {
    manner: { lang: 'pt', comma: true, lab: 'Laboratório Exemplo de Análises', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo'], between: (a, b) => `${a} a ${b}`, upTo: (a) => `Inferior a ${a}`, from: (a) => `Superior a ${a}`, upper: true },
    style: { head: heads.pt, leader: '.', size: 8.5,
      columns: [
        { print: ['name'], x: 40, width: 230, head: 'Exame' }, { print: ['value', 'unit'], x: 280, width: 120, head: 'Resultado' }, { print: ['range'], x: 430, width: 130, head: 'Valores de Referência' } ] } },
};
