import { dotDate, namedDate, slashDate, type ReportLayout } from './layouts.ts';
import type { GeneratedLine } from './generated-report.ts';
import { NOTO, NOTO_BOLD } from './table.ts';

const dashed = (low: string, high: string) => `${low} - ${high}`;
const SANS = [NOTO, NOTO_BOLD] as const;
const bySex = (line: GeneratedLine): GeneratedLine =>
  /^(?:Hemoglobina|Haemoglobin|Hémoglobine|Hemoglobin)$/.test(line.name)
    ? {
        ...line,
        flag: null,
        value: line.value.replace(/^\d+/, (n) => (n.length > 2 ? '140' : '14')),
        range: `H: ${line.range}\nM: ${line.range}`,
      }
    : line;

/** Layouts that were written after the reader was finished, for a final measurement. */
// prettier-ignore
export const UNSEEN_LAYOUTS: Readonly<Record<string, ReportLayout>> = {
  arLaboratorio: {
    manner: { lang: 'es', comma: true, lab: 'Laboratorio Bioquímico Ejemplo', date: slashDate, panels: ['cbc', 'chem', 'lip', 'ua'], between: (a, b) => `${a} a ${b}`, upTo: (a) => `Hasta ${a}`, from: (a) => `Superior a ${a}`, upper: true },
    style: { font: ['Courier', 'Courier-Bold'], size: 8.5, panelSize: 10, methods: ['Método: Enzimático', 'Método: Colorimétrico', 'Método: IFCC'], leader: '.', heads: false,
      head: (r) => [[[40, `PACIENTE: ${r.last.toUpperCase()}, ${r.first.toUpperCase()}`], [330, `PROTOCOLO: ${r.specimen}`]], [[40, `SEXO: ${r.sex}`], [150, `F.NAC.: ${r.dob}`], [330, `FECHA: ${r.collected}`]], [[40, 'MEDICO: DR. EJEMPLO'], [330, `FECHA INFORME: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 210, head: '' }, { print: ['value', 'unit'], x: 260, width: 130, head: '' }, { print: ['range'], x: 400, width: 150, head: '' }] } },
  auLabor: {
    manner: { lang: 'de', comma: true, lab: 'Ärztelabor Beispiel OG', date: dotDate, panels: ['cbc', 'chem', 'endo', 'ua'], between: (a, b) => `${a}-${b}`, upTo: (a) => `-${a}`.replace('-', '< '), unitNames: (u) => ({ '10^3/µL': 'G/l', '10^6/µL': 'T/l' })[u] ?? u },
    style: { size: 9, bracketRange: ['[', ']'], flags: { H: '++', L: '--', A: '!' }, head: (r) => [[[40, `Patient: ${r.last} ${r.first}`], [300, `geb.: ${r.dob}`], [430, `${r.sex === 'M' ? 'männlich' : 'weiblich'}`]], [[40, `Auftrag: ${r.specimen}`], [300, `Probeneingang: ${r.collected}`], [430, `Befund vom: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 180, head: 'Parameter' }, { print: ['flag', 'value'], x: 230, width: 60, align: 'right', head: 'Messwert' }, { print: ['unit', 'range'], x: 300, width: 160, head: 'Einheit [Normbereich]' }, { print: ['method'], x: 480, width: 80, head: 'Methode' }], methods: ['PHOT', 'CLIA', 'ISE'], methodsInline: true } },
  caFrench: {
    manner: { lang: 'fr', si: true, comma: true, lab: 'Clinique Médicale Exemple', date: (y, m, d) => `${y}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`, panels: ['cbc', 'chem', 'lip', 'endo'], between: dashed, upTo: (a) => `≤ ${a}`.replace('≤', '<='), from: (a) => `>= ${a}` },
    style: { font: SANS, size: 8, flags: { H: 'Haut', L: 'Bas', A: 'Anormal' }, boldAbnormal: true, head: (r) => [[[40, `Nom: ${r.last}`], [200, `Prénom: ${r.first}`], [360, `Sexe: ${r.sex}`]], [[40, `Date de naissance: ${r.dob}`], [300, `No de demande: ${r.specimen}`]], [[40, `Date prélèvement: ${r.collected}`], [300, `Date du rapport: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 150, head: 'Test' }, { print: ['value'], x: 200, width: 50, head: 'Résultat' }, { print: ['flag'], x: 260, width: 40, head: 'Statut' }, { print: ['range'], x: 310, width: 90, head: 'Intervalle de référence' }, { print: ['unit'], x: 440, width: 90, head: 'Unités' }] } },
  sgPathology: {
    manner: { lang: 'en', si: true, lab: 'Merlion Specialist Laboratory', date: namedDate, panels: ['cbc', 'chem', 'lip', 'sero', 'ua'], between: (a, b) => `${a} to ${b}`, edit: bySex },
    style: { font: ['Times-Roman', 'Times-Bold'], size: 10, bracketRange: ['(', ')'], flags: { H: '*', L: '*', A: '*' }, panelSize: 11, gap: 3, head: (r) => [[[40, `PATIENT : ${r.last} ${r.first}`], [330, `LAB NO : ${r.specimen}`]], [[40, `SEX / AGE : ${r.sex} / 52 Y`], [330, `COLLECTED : ${r.collected} 09:30`]], [[40, `DOB : ${r.dob}`], [330, `REPORTED : ${r.reported} 16:45`]]],
      columns: [{ print: ['name'], x: 70, width: 150, head: 'TEST NAME' }, { print: ['flag'], x: 232, width: 8, head: '' }, { print: ['value'], x: 242, width: 70, head: 'RESULT' }, { print: ['range', 'unit'], x: 330, width: 200, head: 'REFERENCE RANGE' }] } },
  ptAnalises: {
    manner: { lang: 'pt', comma: true, lab: 'Centro de Análises Clínicas Exemplar', date: slashDate, panels: ['cbc', 'chem', 'lip', 'coag', 'sero'], between: dashed, upTo: (a) => `< ${a}` },
    style: { size: 8.5, headAgain: true, flags: { H: '↑', L: '↓', A: '*' }, font: SANS, head: (r) => [[[40, `Nome: ${r.first} ${r.last}`], [300, `Nascimento: ${r.dob}`], [460, `Sexo: ${r.sex}`]], [[40, `Nº Pedido: ${r.specimen}`], [300, `Colheita: ${r.collected}`], [460, `Emitido em: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 160, head: 'Análise' }, { print: ['value', 'flag'], x: 215, width: 70, head: 'Resultado' }, { print: ['unit'], x: 290, width: 70, head: 'Unidade' }, { print: ['previous'], x: 370, width: 60, head: 'Anterior' }, { print: ['range'], x: 450, width: 100, head: 'V. Referência' }] } },
  thCompact: {
    manner: { lang: 'en', lab: 'Siam Wellness Lab', date: slashDate, panels: ['chem', 'lip', 'cbc', 'endo', 'ua'], unitNames: (u) => ({ '10^3/µL': 'x10^3 cells/uL', '10^6/µL': 'x10^6 cells/uL', 'mL/min/1.73m2': 'ml/min/1.73 m^2' })[u] ?? u },
    style: { size: 8, gap: 1, step: 10.5, flags: { H: 'H', L: 'L', A: 'A' }, bracketRange: ['(', ')'], head: (r) => [[[40, `Name: ${r.first} ${r.last}`], [250, `DOB: ${r.dob}`], [400, `Gender: ${r.sex === 'M' ? 'Male' : 'Female'}`]], [[40, `HN: 55-123456`], [250, `Specimen No: ${r.specimen}`], [400, `Collected: ${r.collected}`]]],
      columns: [{ print: ['name'], x: 40, width: 130, head: 'Laboratory Test' }, { print: ['value'], x: 180, width: 40, align: 'center', head: 'Result' }, { print: ['flag'], x: 225, width: 12, head: '' }, { print: ['unit'], x: 240, width: 80, head: 'Unit' }, { print: ['range'], x: 325, width: 80, head: 'Ref. Range' }, { print: ['previous'], x: 420, width: 50, head: 'Last Result' }] } },
};
