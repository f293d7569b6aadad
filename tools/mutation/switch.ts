/** Turns the mutants in the loaded sources on and off. */
interface MutantSwitch {
  /** Whether a mutant is on; records that it was reached. */
  readonly isOn: (id: number) => boolean;
  /** Turns one mutant on and all others off (a negative number: all off), and resets the limit of checks. */
  turnOn(id: number): void;
  /** Mutants that were reached since the last call. */
  takeReached(): number[];
}

declare global {
  // A global is declared by `var`.
  var aliquotMutants: MutantSwitch;
}

/** More checks than this while one mutant is on mean an endless loop; they take a few seconds. */
const CHECKS_MAX = 100_000_000;

export function installSwitch(count: number): MutantSwitch {
  const reached = new Uint8Array(count);
  let active = -1;
  let rounds = 0;
  const mutants: MutantSwitch = {
    isOn: (id) => {
      reached[id] = 1;
      if (active >= 0 && (rounds += 1) > CHECKS_MAX) throw new Error('The mutant runs in an endless loop');
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
