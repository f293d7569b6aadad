import { type ReportLayout, dotDate, heads, namedDate, slashDate, usDate } from './layouts.ts';
import type { GeneratedLine } from './generated-report.ts';
import { NOTO, NOTO_BOLD } from './table.ts';

const dashed = (low: string, high: string) => `${low} - ${high}`;
const SANS = [NOTO, NOTO_BOLD] as const;

/** Cell counts per microliter with a thousands separator, as in some countries: 7.100, 7,100 or 7 100. */
const countPerMicroliter =
  (separator: string) =>
  (line: GeneratedLine): GeneratedLine => {
    if (!/^(?:10\^3\/µL|G\/L)$/.test(line.unit)) return line;
    const grow = (text: string) =>
      text.replaceAll(/\d+(?:[.,]\d+)?/g, (number) => {
        const [whole = '', part = ''] = number.split(/[.,]/);
        return String(Number(whole + part.padEnd(3, '0').slice(0, 3))).replaceAll(
          /\B(?=(\d{3})+(?!\d))/g,
          separator,
        );
      });
    return {
      ...line,
      value: grow(line.value),
      range: grow(line.range),
      previous: grow(line.previous),
      unit: '/mm³',
    };
  };

/** Ranges by sex, grade or time of day, as for hormones and lipids. */
const withGradedRanges = (line: GeneratedLine): GeneratedLine => {
  if (/^Ferrit/i.test(line.name))
    return { ...line, flag: null, range: 'Male: 30 - 400\nFemale: 13 - 150', value: '64' };
  if (/^Cholesterol, Total/i.test(line.name))
    return { ...line, flag: null, range: 'Desirable: <200\nBorderline: 200-239\nHigh: >=240', value: '181' };
  if (/^Vitamin D/i.test(line.name))
    return {
      ...line,
      flag: null,
      range: 'Deficient: <20\nInsufficient: 20-29\nSufficient: 30-100',
      value: '38.1',
    };
  if (/^Cortisol/i.test(line.name))
    return { ...line, flag: null, range: 'AM: 6.2 - 19.4\nPM: 2.3 - 11.9', value: '11.0' };
  return line;
};

// prettier-ignore
export const HARDER_LAYOUTS: Readonly<Record<string, ReportLayout>> = {
  flagBeforeWords: {
    manner: { lang: 'en', lab: 'Mesa Community Hospital', date: usDate, panels: ['ua', 'sero', 'cbc'], upper: true },
    style: { font: ['Courier', 'Courier-Bold'], size: 9, flagFirst: true, step: 12, head: heads.en,
      columns: [{ print: ['name'], x: 40, width: 200, head: 'TEST' }, { print: ['flag', 'value'], x: 255, width: 90, head: 'RESULT' }, { print: ['unit'], x: 350, width: 80, head: 'UNITS' }, { print: ['range'], x: 440, width: 110, head: 'NORMALS' }] } },
  flagColumnWords: {
    manner: { lang: 'it', lab: 'Ospedale Civile Esempio', date: slashDate, panels: ['ua', 'sero', 'coag', 'chem'], between: dashed },
    style: { flags: { H: 'A', L: 'B', A: 'A' }, head: heads.it,
      columns: [{ print: ['name'], x: 40, width: 190, head: 'ESAME' }, { print: ['value'], x: 240, width: 60, align: 'right', head: 'RISULTATO' }, { print: ['flag'], x: 304, width: 12, head: '' }, { print: ['unit'], x: 322, width: 90, head: 'UNITA\'' }, { print: ['range'], x: 425, width: 120, head: 'VALORI NORMALI' }] } },
  gradedTop: {
    manner: { lang: 'en', lab: 'Harbor Reference Laboratory', date: usDate, panels: ['lip', 'endo'], edit: withGradedRanges, between: dashed },
    style: { head: heads.en, step: 15, columns: [{ print: ['name'], x: 40, width: 170, head: 'Test' }, { print: ['value'], x: 220, width: 60, head: 'Result' }, { print: ['flag'], x: 285, width: 30, head: 'Flag' }, { print: ['unit'], x: 320, width: 80, head: 'Units' }, { print: ['range'], x: 410, width: 150, head: 'Reference Interval' }] } },
  gradedCentred: {
    manner: { lang: 'en', lab: 'Summit Pathology Group', date: namedDate, panels: ['endo', 'lip'], edit: withGradedRanges, between: dashed },
    style: { head: heads.en, centred: true, gap: 8, font: SANS, size: 8.5, columns: [{ print: ['name'], x: 40, width: 170, head: 'Test Name' }, { print: ['value'], x: 220, width: 60, head: 'Result' }, { print: ['unit'], x: 300, width: 80, head: 'Unit' }, { print: ['range'], x: 400, width: 150, head: 'Bio. Ref. Interval' }] } },
  narrowNames: {
    manner: { lang: 'en', lab: 'Canyon Labs', date: usDate, panels: ['chem', 'endo', 'sero', 'coag'] },
    style: { head: heads.en, size: 9, gap: 2, step: 11, columns: [{ print: ['name'], x: 40, width: 78, head: 'Test' }, { print: ['value', 'flag'], x: 130, width: 90, head: 'Result' }, { print: ['unit'], x: 230, width: 90, head: 'Units' }, { print: ['range'], x: 330, width: 60, head: 'Range' }, { print: ['previous'], x: 420, width: 50, head: 'Previous' }] } },
  tight: {
    manner: { lang: 'en', lab: 'Compact Labs', date: usDate, panels: ['cbc', 'chem', 'ua'] },
    style: { head: heads.en, size: 10, columns: [{ print: ['name', 'value', 'flag', 'unit', 'range'], x: 40, width: 500, head: 'Test Result Flag Units Range' }] } },
  brMilhar: {
    manner: { lang: 'pt', comma: true, lab: 'Laboratório Central Exemplo', date: slashDate, panels: ['cbc'], between: (a, b) => `${a} a ${b}`, edit: countPerMicroliter('.') },
    style: { head: heads.pt, leader: '.', heads: false, columns: [{ print: ['name'], x: 40, width: 220, head: '' }, { print: ['value'], x: 270, width: 50, align: 'right', head: '' }, { print: ['unit'], x: 330, width: 60, head: '' }, { print: ['range'], x: 420, width: 120, head: '' }] } },
  mxMiles: {
    manner: { lang: 'es', lab: 'Laboratorio Médico Ejemplo', date: slashDate, panels: ['cbc', 'coag'], between: dashed, edit: countPerMicroliter(',') },
    style: { head: heads.es, flags: { H: '▲', L: '▼', A: '*' }, columns: [{ print: ['name'], x: 40, width: 200, head: 'EXAMEN' }, { print: ['value'], x: 250, width: 60, head: 'RESULTADO' }, { print: ['unit'], x: 330, width: 60, head: 'UNIDADES' }, { print: ['range'], x: 420, width: 120, head: 'VALOR DE REFERENCIA' }] } },
  frMilliers: {
    manner: { lang: 'fr', si: true, comma: true, lab: 'Laboratoire des Halles', date: slashDate, panels: ['cbc', 'coag', 'endo'], between: (a, b) => `${a} - ${b}`, edit: countPerMicroliter(' ') },
    style: { head: heads.fr, heads: false, bracketRange: ['(', ')'], columns: [{ print: ['name'], x: 40, width: 200, head: '' }, { print: ['value'], x: 250, width: 50, align: 'right', head: '' }, { print: ['unit'], x: 310, width: 80, head: '' }, { print: ['range'], x: 400, width: 110, head: '' }] } },
  rangeFirstBare: {
    manner: { lang: 'de', comma: true, lab: 'Praxislabor Beispiel', date: dotDate, panels: ['cbc', 'chem', 'lip'], between: dashed },
    style: { head: heads.de, heads: false, flags: { H: '↑', L: '↓', A: '*' }, font: SANS, columns: [{ print: ['name'], x: 40, width: 160, head: '' }, { print: ['range'], x: 210, width: 90, head: '' }, { print: ['unit'], x: 310, width: 80, head: '' }, { print: ['value'], x: 400, width: 60, align: 'right', head: '' }, { print: ['flag'], x: 470, width: 20, head: '' }] } },
  unitInName: {
    manner: { lang: 'en', lab: 'Orchard Lab Services', date: usDate, panels: ['chem', 'lip', 'endo'], between: dashed },
    style: { head: heads.en, columns: [{ print: ['name'], x: 40, width: 220, head: 'Analyte' }, { print: ['value'], x: 280, width: 50, align: 'right', head: 'Result' }, { print: ['flag'], x: 340, width: 30, head: 'H/L' }, { print: ['range', 'unit'], x: 380, width: 180, head: 'Reference Values' }] } },
};
