/** The switch behind which all mutants of the loaded sources are. */
export interface MutantSwitch {
  /** Whether a mutant is on; notes that it was asked for. */
  readonly isOn: (id: number) => boolean;
  /** Puts one on and all others off, a negative number for none; what it may take begins again. */
  turnOn(id: number): void;
  /** Those that were asked for since the last look. */
  takeReached(): number[];
}

declare global {
  // A global is declared by `var`.
  var aliquotMutants: MutantSwitch;
}

/** A test that passes more mutants than this while one is on goes round in circles: it takes some seconds. */
const ROUNDS = 100_000_000;

export function installSwitch(count: number): MutantSwitch {
  const reached = new Uint8Array(count);
  let active = -1;
  let rounds = 0;
  const mutants: MutantSwitch = {
    isOn: (id) => {
      reached[id] = 1;
      if (active >= 0 && (rounds += 1) > ROUNDS) throw new Error('The mutant goes round in circles');
      return id === active;
    },
    turnOn: (id) => {
      active = id;
      rounds = 0;
    },
    takeReached: () => {
      const found = [...reached.keys()].filter((id) => reached[id] === 1);
      reached.fill(0);
      return found;
    },
  };
  globalThis.aliquotMutants = mutants;
  return mutants;
}
