const ROWS = [
  ['Patient: Jane Doe', '', '', 'DOB: 02/03/1980', ''],
  ['Test', 'Result', 'Flag', 'Units', 'Reference Range'],
  ['Glucose', '112', 'H', 'mg/dL', '70 - 99'],
  ['Sodium', '140', '', 'mmol/L', '135 - 145'],
  ['Potassium', '4.1', '', 'mmol/L', '3.5 - 5.1'],
  ['Hemoglobin A1c', '5.4', '', '%', '< 5.7'],
  ['Ketones', 'Negative', '', '', 'Negative'],
];
const COLUMNS = [50, 220, 300, 380, 480];

/** A small report that every reader can read. */
export function samplePdf(): Buffer {
  const shown = ROWS.flatMap((row, at) =>
    row.map((cell, column) => `1 0 0 1 ${COLUMNS[column]} ${700 - 16 * at} Tm (${cell}) Tj`),
  );
  const content = `BT /F1 10 Tf\n${shown.join('\n')}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((text, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${text}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(
    `${file}${table}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}
