/** A table with its cells made safe: a bar inside one would end it. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

export const code = (text: string): string => `\`${text}\``;

/** What stands at the top of every printed page. */
export const printedFrom = (source: string): string =>
  `<!-- Printed from ${source} by \`npm run generate\`. Change that, not this. -->`;
