/** Something wrong with an import file: where, and what was expected there. */
export interface Fault {
  readonly place: string;
  readonly column?: string;
  readonly says: string;
}

export const tellFault = ({ place, column, says }: Fault): string =>
  column === undefined ? `${place}: ${says}` : `${place}, ${column}: ${says}`;

/** All that is wrong with a file, at once. Nothing was written. */
export class ImportRefused extends Error {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(faults.map(tellFault).join('\n'));
    this.name = 'ImportRefused';
    this.faults = faults;
  }
}

const SHOWN = 60;

/** What stood there instead, short enough for a line. */
export function got(value: unknown): string {
  const told = JSON.stringify(value) ?? 'nothing';
  return `, got ${told.length > SHOWN ? `${told.slice(0, SHOWN)}…` : told}`;
}
