import type { ReportConventions, GeneratedLine, GeneratedReport } from './generated-report.ts';
import { dotDate, namedDate, slashDate, usDate } from './layouts.ts';
import { ReportSheet, NOTO, NOTO_BOLD } from './table.ts';

/** A report layout that is not a single table. */
interface SpecialLayout {
  readonly manner: ReportConventions;
  readonly draw: (report: GeneratedReport) => Promise<Buffer>;
}

const dashed = (low: string, high: string) => `${low} - ${high}`;

function beginSheet(
  report: GeneratedReport,
  lines: readonly string[],
  font?: readonly [string, string],
): ReportSheet {
  const sheet = new ReportSheet({ font: font ?? ['Helvetica', 'Helvetica-Bold'], size: 9, footer: 'Page #' });
  sheet.font(true, 15).at(40, report.lab);
  sheet.y += 26;
  for (const line of lines) {
    sheet.font(false).at(40, line);
    sheet.y += 13;
  }
  sheet.y += 10;
  return sheet;
}

const englishHead = (r: GeneratedReport): string[] => [
  `Name: ${r.first} ${r.last}    Date of Birth: ${r.dob}    Sex: ${r.sex === 'M' ? 'Male' : 'Female'}`,
  `Specimen ID: ${r.specimen}    Date Collected: ${r.collected}    Date Reported: ${r.reported}`,
];

const FLAGS = { H: 'Above range', L: 'Below range', A: 'Abnormal' } as const;

/** One card per result, name above value, as in patient portals. */
function cards(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, englishHead(report));
  for (const panel of report.panels) {
    sheet.room(60);
    sheet.font(true, 12).at(40, panel.title);
    sheet.y += 22;
    for (const line of panel.lines) {
      sheet.room(60);
      sheet.font(true, 10).at(50, line.name);
      sheet.y += 14;
      sheet.font(false, 9).at(50, `Normal range: ${line.range}${line.unit ? ` ${line.unit}` : ''}`);
      sheet.font(true, 10).at(300, `${line.value}${line.unit ? ` ${line.unit}` : ''}`);
      if (line.flag) sheet.font(false, 9).at(420, FLAGS[line.flag]);
      sheet.y += 24;
    }
  }
  return sheet.bytes();
}

/** Cards with labeled fields below each other. */
function labelled(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, englishHead(report));
  for (const line of report.panels.flatMap((panel) => panel.lines)) {
    sheet.room(75);
    sheet.font(true, 10).at(40, line.name);
    sheet.y += 14;
    sheet
      .font(false, 9)
      .at(52, `Value: ${line.value}${line.unit ? ` ${line.unit}` : ''}${line.flag ? `  ${line.flag}` : ''}`);
    sheet.y += 12;
    sheet.at(52, `Reference range: ${line.range}`);
    sheet.y += 20;
  }
  return sheet.bytes();
}

/** Two tables side by side, each with its own headings. */
function twoTables(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, [
    `Paciente: ${report.first} ${report.last}   Sexo: ${report.sex}   Fecha de nacimiento: ${report.dob}`,
    `Petición: ${report.specimen}   Fecha: ${report.collected}`,
  ]);
  const lines = report.panels.flatMap((panel) => panel.lines);
  const half = Math.ceil(lines.length / 2);
  for (const left of [36, 310]) {
    sheet.font(true, 7.5).at(left, 'Prueba');
    sheet.at(left + 110, 'Resultado');
    sheet.at(left + 155, 'Unidad');
    sheet.at(left + 210, 'Referencia');
  }
  sheet.y += 14;
  for (let row = 0; row < half; row += 1) {
    sheet.room(20);
    column(sheet, lines[row], 36);
    column(sheet, lines[row + half], 310);
    sheet.y += 13;
  }
  return sheet.bytes();
}

function column(sheet: ReportSheet, line: GeneratedLine | undefined, left: number): void {
  if (!line) return;
  sheet.font(line.flag !== null, 7.5).at(left, line.name);
  sheet.at(left + 110, `${line.value}${line.flag ? ` ${line.flag}` : ''}`, { width: 36, align: 'right' });
  sheet.at(left + 155, line.unit);
  sheet.at(left + 210, line.range);
}

/** The same without headings. */
function silentTables(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, englishHead(report));
  for (const panel of report.panels) {
    sheet.font(true, 9).at(36, panel.title);
    sheet.y += 15;
    const half = Math.ceil(panel.lines.length / 2);
    for (let row = 0; row < half; row += 1) {
      sheet.room(20);
      column(sheet, panel.lines[row], 36);
      column(sheet, panel.lines[row + half], 320);
      sheet.y += 13;
    }
    sheet.y += 8;
  }
  return sheet.bytes();
}

/** Portal cards: name, range, then the value below. */
function scales(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, englishHead(report));
  for (const panel of report.panels) {
    sheet.room(80);
    sheet.font(true, 13).at(40, panel.title);
    sheet.y += 24;
    for (const line of panel.lines) {
      sheet.room(80);
      sheet.font(true, 10).at(40, line.name);
      sheet.y += 14;
      sheet.font(false, 9).at(40, `Normal range: ${line.range}${line.unit ? ` ${line.unit}` : ''}`);
      sheet.y += 14;
      sheet.at(40, `Value`);
      sheet.font(true, 10).at(120, line.value);
      if (line.flag === 'H' || line.flag === 'L')
        sheet.font(false, 9).at(200, line.flag === 'H' ? 'High' : 'Low');
      sheet.y += 26;
    }
  }
  return sheet.bytes();
}

/** Dates as columns, the newest first. */
function cumulative(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, [
    `Name, Vorname: ${report.last}, ${report.first}   Geb.: ${report.dob}   Geschlecht: ${report.sex === 'M' ? 'männlich' : 'weiblich'}`,
    `Auftrag: ${report.specimen}   Eingang: ${report.collected}   Druckdatum: ${report.reported}`,
  ]);
  const heading = () => {
    sheet.font(true, 8.5).at(40, 'Parameter');
    ['Einheit', 'Normbereich', report.collected, '03.04.2016', '11.09.2015'].forEach((text, index) =>
      sheet.at([200, 270, 350, 430, 500][index] ?? 0, text),
    );
    sheet.y += 16;
  };
  heading();
  for (const panel of report.panels) {
    sheet.font(true, 9).at(40, panel.title);
    sheet.y += 14;
    panel.lines.forEach((line, index) => {
      if (sheet.room(20)) heading();
      sheet.font(false, 8.5).at(40, line.name);
      sheet.at(200, line.unit);
      sheet.at(270, line.range);
      sheet.at(350, `${line.value}${line.flag === 'H' ? ' +' : line.flag === 'L' ? ' -' : ''}`);
      if (index % 2 === 0) sheet.at(430, line.previous);
      if (index % 3 === 0) sheet.at(500, line.previous);
      sheet.y += 13;
    });
  }
  return sheet.bytes();
}

/** One block per test: heading, material, method, labeled result and reference. */
function blocks(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, [
    `Paciente: ${report.first} ${report.last}`,
    `Data de Nascimento: ${report.dob}    Sexo: ${report.sex === 'M' ? 'Masculino' : 'Feminino'}`,
    `Atendimento: ${report.specimen}    Coletado em: ${report.collected}    Liberado em: ${report.reported}`,
  ]);
  for (const line of report.panels.flatMap((panel) => panel.lines)) {
    sheet.room(90);
    sheet.font(true, 10).at(40, line.name);
    sheet.y += 14;
    sheet.font(false, 8.5).at(40, 'Material: Soro    Método: Enzimático automatizado');
    sheet.y += 13;
    sheet.at(40, `Resultado..............: ${line.value}${line.unit ? ` ${line.unit}` : ''}`);
    sheet.at(300, `Valor de referência: ${line.range}`);
    sheet.y += 22;
  }
  return sheet.bytes();
}

/** French results in two units on the same line. */
function twoUnits(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(report, [
    `Patient : ${report.last} ${report.first}    Né(e) le : ${report.dob}    Sexe : ${report.sex}`,
    `Dossier n° ${report.specimen}    Prélèvement du ${report.collected}    Edité le ${report.reported}`,
  ]);
  for (const panel of report.panels) {
    sheet.room(60);
    sheet.font(true, 11).at(200, panel.title);
    sheet.y += 20;
    panel.lines.forEach((line, index) => {
      sheet.room(30);
      sheet.font(false, 9).at(40, line.name);
      sheet.font(line.flag !== null, 9).at(220, line.value, { width: 40, align: 'right' });
      sheet.font(false, 9).at(266, line.unit);
      sheet.at(340, line.range === '' ? '' : `(${line.range})`);
      if (index % 3 === 0 && line.unit) sheet.at(440, `${line.previous} µmol/L`);
      sheet.y += 15;
    });
  }
  return sheet.bytes();
}

/** Results as running text, as quoted in letters from a practice. */
function inline(report: GeneratedReport): Promise<Buffer> {
  const sheet = beginSheet(
    report,
    [
      `Patient: Ms ${report.first} ${report.last}   DOB: ${report.dob}   Sex: ${report.sex === 'M' ? 'Male' : 'Female'}`,
      `Sample collected: ${report.collected}   Date reported: ${report.reported}   Lab No: ${report.specimen}`,
    ],
    [NOTO, NOTO_BOLD],
  );
  for (const panel of report.panels) {
    sheet.room(60);
    sheet.font(true, 10).at(40, panel.title);
    sheet.y += 16;
    for (const line of panel.lines) {
      sheet.room(30);
      const flag =
        line.flag === 'H'
          ? ' - Above high reference limit'
          : line.flag === 'L'
            ? ' - Below low reference limit'
            : '';
      sheet
        .font(false, 9)
        .at(
          48,
          `${line.name} : ${line.value}${line.unit ? ` ${line.unit}` : ''} (${line.range})${line.flag === 'A' ? ' - Abnormal' : flag}`,
        );
      sheet.y += 14;
    }
    sheet
      .font(false, 8)
      .at(
        48,
        'Comment: please repeat in 3 months, aim for 5 portions of vegetables a day and 150 minutes of exercise.',
      );
    sheet.y += 18;
  }
  return sheet.bytes();
}

// prettier-ignore
export const SPECIAL_LAYOUTS: Readonly<Record<string, SpecialLayout>> = {
  cards:      { draw: cards,      manner: { lang: 'en', lab: 'Evergreen Health Portal Laboratory', date: usDate, panels: ['chem', 'lip', 'endo', 'cbc'], between: dashed } },
  labelled:   { draw: labelled,   manner: { lang: 'en', lab: 'Home Check Laboratories', date: namedDate, panels: ['lip', 'endo', 'sero'] } },
  twoTables:  { draw: twoTables,  manner: { lang: 'es', lab: 'Análisis Clínicos Ejemplo', date: slashDate, panels: ['chem', 'coag'], comma: true } },
  silentTables: { draw: silentTables, manner: { lang: 'en', lab: 'Twin Oaks Laboratory', date: usDate, panels: ['chem', 'lip'] } },
  scales:     { draw: scales,     manner: { lang: 'en', lab: 'Riverbend Health', date: usDate, panels: ['chem', 'endo'], between: dashed } },
  cumulative: { draw: cumulative, manner: { lang: 'de', lab: 'Labor Dr. Muster und Kollegen', date: dotDate, panels: ['cbc', 'chem'], comma: true, between: dashed } },
  blocks:     { draw: blocks,     manner: { lang: 'pt', lab: 'Laboratório Modelo', date: slashDate, panels: ['chem', 'lip', 'endo'], comma: true, between: (a, b) => `${a} a ${b} `.trim(), upTo: (a) => `até ${a}`, from: (a) => `acima de ${a}` } },
  twoUnits:   { draw: twoUnits,   manner: { lang: 'fr', si: true, lab: 'BioModèle Laboratoires', date: slashDate, panels: ['cbc', 'chem', 'lip'], comma: true, between: dashed, upTo: (a) => `< ${a}` } },
  inline:     { draw: inline,     manner: { lang: 'en', si: true, lab: 'Eastvale Surgery Pathology', date: namedDate, panels: ['cbc', 'chem', 'endo'], between: dashed } },
};
