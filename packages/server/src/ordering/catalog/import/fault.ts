/** An error in an import file: its location, and what was expected there. */
export interface CatalogImportFault {
  readonly place: string;
  readonly column?: string;
  readonly says: string;
}

export const formatCatalogImportFault = ({ place, column, says }: CatalogImportFault): string =>
  column === undefined ? `${place}: ${says}` : `${place}, ${column}: ${says}`;

/** All faults of an import file. Nothing was written. */
export class CatalogImportError extends Error {
  readonly faults: readonly CatalogImportFault[];
  constructor(faults: readonly CatalogImportFault[]) {
    super(faults.map(formatCatalogImportFault).join('\n'));
    this.name = 'CatalogImportError';
    this.faults = faults;
  }
}

const SHOWN_CHARACTERS_MAX = 60;

/** The actual value, shortened to fit a line. */
export function formatActualValue(value: unknown): string {
  const told = JSON.stringify(value) ?? 'nothing';
  return `, got ${told.length > SHOWN_CHARACTERS_MAX ? `${told.slice(0, SHOWN_CHARACTERS_MAX)}…` : told}`;
}
