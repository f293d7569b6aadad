import { dotDate, namedDate, slashDate, usDate, type ReportLayout } from './layouts.ts';
import { NOTO, NOTO_BOLD } from './table.ts';

const dashed = (low: string, high: string) => `${low} - ${high}`;
const SANS = [NOTO, NOTO_BOLD] as const;

/** Held-out layouts: the reader was not developed with them, so they measure generalization. */
// prettier-ignore
export const HELD_OUT_TABLES: Readonly<Record<string, ReportLayout>> = {
  usCountyHospital: {
    manner: { lang: 'en', lab: 'Desert County Hospital', date: usDate, panels: ['cbc', 'chem', 'coag', 'ua'], upper: true, between: (a, b) => `${a}-${b}` },
    style: { paper: 'LETTER', font: ['Courier', 'Courier-Bold'], size: 9, panelSize: 9, step: 12, bracketRange: ['(', ')'], flags: { H: 'H', L: 'L', A: 'A' }, flagFirst: true,
      head: (r) => [[[40, `PATIENT NAME: ${r.last},${r.first}`], [330, `MRN: ${r.specimen}`]], [[40, `DOB: ${r.dob}`], [200, `SEX: ${r.sex}`], [330, `COLLECTED: ${r.collected} 0730`]], [[330, `REPORTED: ${r.reported} 1210`]]],
      columns: [{ print: ['name'], x: 40, width: 190, head: 'PROCEDURE' }, { print: ['flag', 'value'], x: 245, width: 70, align: 'right', head: 'RESULTS' }, { print: ['range'], x: 335, width: 100, head: 'NORMAL RANGE' }, { print: ['unit'], x: 450, width: 100, head: 'UNITS' }] } },
  usTrend: {
    manner: { lang: 'en', lab: 'Cascade Wellness Labs', date: usDate, panels: ['lip', 'chem', 'endo'] },
    style: { font: SANS, size: 8, headAgain: true, flags: { H: 'HIGH', L: 'LOW', A: 'ABNORMAL' },
      head: (r) => [[[40, `${r.first} ${r.last}`], [250, `Born ${r.dob}`], [400, `Gender: ${r.sex === 'M' ? 'Male' : 'Female'}`]], [[40, `Requisition #: ${r.specimen}`], [250, `Collection Date: ${r.collected}`], [400, `Report Date: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 150, head: 'Biomarker' }, { print: ['previous'], x: 210, width: 50, head: 'Prior Result' }, { print: ['value'], x: 285, width: 50, head: 'Current Result' }, { print: ['flag'], x: 350, width: 55, head: 'Rating' }, { print: ['range', 'unit'], x: 420, width: 140, head: 'Optimal Range' }] } },
  ukHospital: {
    manner: { lang: 'en', si: true, lab: 'St Example University Hospitals', date: slashDate, panels: ['cbc', 'chem', 'endo', 'coag'], between: dashed },
    style: { font: ['Times-Roman', 'Times-Bold'], size: 9.5, bracketRange: ['(', ')'], flags: { H: 'High', L: 'Low', A: 'Abnormal' },
      head: (r) => [[[40, `Surname: ${r.last.toUpperCase()}`], [250, `Forename: ${r.first}`], [420, `NHS No: 999 123 4567`]], [[40, `Date of Birth: ${r.dob}`], [250, `Sex: ${r.sex === 'M' ? 'Male' : 'Female'}`], [420, `Lab No: ${r.specimen}`]], [[40, `Collected: ${r.collected} 10:05`], [250, `Reported: ${r.reported} 14:40`]]],
      columns: [{ print: ['name'], x: 60, width: 180, head: 'Investigation' }, { print: ['value'], x: 260, width: 50, align: 'right', head: 'Result' }, { print: ['flag'], x: 316, width: 40, head: '' }, { print: ['unit'], x: 360, width: 90, head: 'Units' }, { print: ['range'], x: 460, width: 100, head: 'Reference Range' }] } },
  indiaSmart: {
    manner: { lang: 'en', lab: 'Sanjeevani Path Care', date: namedDate, panels: ['cbc', 'lip', 'chem', 'sero', 'endo'], between: dashed, upTo: (a) => `Upto ${a}`, unitNames: (u) => ({ '10^3/µL': '10^3/cumm', '10^6/µL': 'million/cumm', 'mL/min/1.73m2': 'mL/min/1.73 sq.m' })[u] === undefined ? u : ({ '10^3/µL': '10^3/cumm', '10^6/µL': 'million/cumm' })[u] ?? u },
    style: { size: 9, boldAbnormal: true, methodsInline: true, methods: ['Spectrophotometry', 'Calculated', 'ISE Direct', 'CMIA'], footer: 'Processed at: Sanjeevani Path Care, Plot 12, Sector 5  Page # of 6',
      head: (r) => [[[40, `Name : MS. ${r.first} ${r.last}`.toUpperCase()], [320, `Barcode : ${r.specimen}`]], [[40, `Age/Sex : 38 YRS/${r.sex}`], [320, `Sample Collected On : ${r.collected} 08:00`]], [[40, 'Ref. By : Dr. Self'], [320, `Report Date : ${r.reported} 20:15`]]],
      columns: [{ print: ['number'], x: 30, width: 16, head: 'S.No' }, { print: ['name'], x: 60, width: 150, head: 'Test Description' }, { print: ['method'], x: 220, width: 90, head: 'Technology' }, { print: ['value'], x: 315, width: 50, head: 'Value' }, { print: ['unit'], x: 370, width: 80, head: 'Units' }, { print: ['range'], x: 460, width: 100, head: 'Bio. Ref. Interval' }] } },
  dePraxis: {
    manner: { lang: 'de', comma: true, lab: 'Gemeinschaftslabor Nordstadt', date: dotDate, panels: ['cbc', 'chem', 'lip', 'endo'], between: (a, b) => `${a} - ${b}`, upTo: (a) => `<${a}`, unitNames: (u) => ({ '10^3/µL': 'Tsd./µl', '10^6/µL': 'Mio./µl', 'mL/min/1.73m2': 'ml/min' })[u] ?? u },
    style: { size: 9, flags: { H: 'H', L: 'N', A: '!' }, head: (r) => [[[40, `Patient: ${r.first} ${r.last}`], [300, `geb. am: ${r.dob}`], [430, `Geschlecht: ${r.sex === 'M' ? 'männlich' : 'weiblich'}`]], [[40, `Probennummer: ${r.specimen}`], [300, `Abnahmedatum: ${r.collected}`]], [[300, `Ausgangsdatum: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 160, head: 'Messgröße' }, { print: ['range'], x: 220, width: 80, head: 'Normalwerte' }, { print: ['unit'], x: 310, width: 80, head: 'Dimension' }, { print: ['value', 'flag'], x: 400, width: 70, head: 'Wert' }, { print: ['previous'], x: 500, width: 50, head: 'letzter Wert' }] } },
  frMutuel: {
    manner: { lang: 'fr', si: true, comma: true, lab: 'Centre de Biologie du Parc', date: slashDate, panels: ['cbc', 'chem', 'lip', 'endo'], between: (a, b) => `${a} - ${b}`, upTo: (a) => `< ${a}`, from: (a) => `> ${a}` },
    style: { size: 8.5, flags: { H: '*', L: '*', A: '*' }, flagFirst: true, methods: ['(Cytométrie en flux)', '(Hexokinase)', '(Chimiluminescence)'], head: (r) => [[[40, `Nom : ${r.last}`], [220, `Prénom : ${r.first}`], [400, `Sexe : ${r.sex}`]], [[40, `Date de naissance : ${r.dob}`], [300, `N° dossier : ${r.specimen}`]], [[40, `Date de prélèvement : ${r.collected}`], [300, `Validé le : ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 180, head: 'Analyse' }, { print: ['flag', 'value'], x: 230, width: 60, align: 'right', head: 'Résultat' }, { print: ['unit'], x: 300, width: 90, head: 'Unité' }, { print: ['range'], x: 400, width: 80, head: 'Valeurs\nusuelles' }, { print: ['previous'], x: 500, width: 50, head: 'Antérieur' }] } },
  itOspedale: {
    manner: { lang: 'it', comma: false, lab: 'Azienda Ospedaliera Esempio', date: slashDate, panels: ['cbc', 'chem', 'coag', 'ua'], between: dashed, upTo: (a) => `< ${a}`, unitNames: (u) => ({ '10^3/µL': '10^3/uL', 'mL/min/1.73m2': 'mL/min' })[u] ?? u },
    style: { font: ['Times-Roman', 'Times-Bold'], flags: { H: 'A', L: 'B', A: '*' }, bracketRange: ['[', ']'], head: (r) => [[[40, `Paziente: ${r.last} ${r.first}`], [320, `Nato il: ${r.dob}`], [450, `Sesso: ${r.sex}`]], [[40, `Richiesta: ${r.specimen}`], [320, `Prelievo del: ${r.collected}`]], [[320, `Data referto: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 200, head: 'Analisi' }, { print: ['value'], x: 250, width: 50, align: 'right', head: 'Risultato' }, { print: ['flag'], x: 306, width: 14, head: '' }, { print: ['unit'], x: 330, width: 80, head: 'Unità di misura' }, { print: ['range'], x: 430, width: 110, head: 'Intervallo di riferimento' }] } },
  esPrivado: {
    manner: { lang: 'es', si: false, comma: true, lab: 'Clínica Ejemplar', date: slashDate, panels: ['cbc', 'chem', 'endo', 'ua', 'sero'], between: (a, b) => `${a} - ${b}`, upTo: (a) => `Menor de ${a}`, from: (a) => `Mayor de ${a}` },
    style: { size: 8.5, leader: '.', flags: { H: '↑', L: '↓', A: '*' }, font: SANS, head: (r) => [[[40, `Nombre: ${r.first} ${r.last}`], [320, `F. Nacimiento: ${r.dob}`]], [[40, `Nº Petición: ${r.specimen}`], [320, `Sexo: ${r.sex === 'M' ? 'Hombre' : 'Mujer'}`]], [[40, `Fecha extracción: ${r.collected}`], [320, `Fecha informe: ${r.reported}`]]],
      columns: [{ print: ['name'], x: 40, width: 200, head: 'PRUEBA' }, { print: ['value', 'unit'], x: 250, width: 120, head: 'RESULTADO' }, { print: ['flag'], x: 385, width: 14, head: '' }, { print: ['range'], x: 410, width: 130, head: 'INTERVALO DE REFERENCIA' }] } },
};
