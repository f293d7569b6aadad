import type { Interpretation } from '../../../adapters/lab-network/port.ts';
import { remembered } from '../../../platform/remembered.ts';

/** What a flag says: how bad it is, on which side, and how FHIR calls it. */
interface Flag {
  /** Null where it says nothing of good or bad: `U` is only a change since the last time. */
  readonly interpretation: Interpretation | null;
  readonly side?: 'above' | 'below';
  /** In the code system v3-ObservationInterpretation. */
  readonly fhir: string | null;
}

const normal = (fhir: string | null): Flag => ({ interpretation: 'normal', fhir });
const abnormal = (fhir: string | null, side?: Flag['side']): Flag => ({
  interpretation: 'abnormal',
  fhir,
  ...(side ? { side } : {}),
});
const critical = (fhir: string, side?: Flag['side']): Flag => ({
  interpretation: 'critical',
  fhir,
  ...(side ? { side } : {}),
});
const silent = (fhir: string | null): Flag => ({ interpretation: null, fhir });

/** HL7 table 0078, its later additions, and what laboratories write in its place. */
// prettier-ignore
const FLAGS: Readonly<Record<string, Flag>> = {
  N: normal('N'),            NEG: normal('NEG'),        ND: normal('ND'),          NR: normal('NR'),
  S: normal('S'),            VS: normal('S'),           NORMAL: normal('N'),       WNL: normal('N'),
  L: abnormal('L', 'below'), H: abnormal('H', 'above'), LOW: abnormal('L', 'below'), HIGH: abnormal('H', 'above'),
  LU: abnormal('LU', 'below'), HU: abnormal('HU', 'above'),
  '<': abnormal('<', 'below'), '>': abnormal('>', 'above'),
  A: abnormal('A'),          ABN: abnormal('A'),        ABNORMAL: abnormal('A'),   '*': abnormal('A'), '!': abnormal('A'),
  R: abnormal('R'),          I: abnormal('I'),          MS: abnormal('I'),         SDD: abnormal('SDD'), NS: abnormal('NS'),
  SYN: abnormal('SYN-R'),    'SYN-R': abnormal('SYN-R'), 'SYN-S': normal('SYN-S'), EX: abnormal('EX'),
  HX: abnormal('HX', 'above'), LX: abnormal('LX', 'below'), POS: abnormal('POS'),  DET: abnormal('DET'),
  RR: abnormal('RR'),        WR: abnormal('WR'),        E: silent('E'),            IND: silent('IND'),
  LL: critical('LL', 'below'), HH: critical('HH', 'above'), AA: critical('AA'),
  PL: critical('LL', 'below'), PH: critical('HH', 'above'), LP: critical('LL', 'below'), HP: critical('HH', 'above'),
  CL: critical('LL', 'below'), CH: critical('HH', 'above'), C: critical('AA'), CRIT: critical('AA'), CRITICAL: critical('AA'),
  'L*': critical('LL', 'below'), 'H*': critical('HH', 'above'), '**': critical('AA'), '!!': critical('AA'), PANIC: critical('AA'),
  TOX: critical('AA'),
  U: silent('U'), D: silent('D'), B: silent('B'), W: silent('W'), NULL: silent(null), NCL: silent(null), AC: silent(null), QCF: silent(null),
};

const flagOf = (flag: string): Flag | undefined => {
  const key = flag.trim().toUpperCase();
  return Object.hasOwn(FLAGS, key) ? FLAGS[key] : undefined;
};

const WORST_FIRST = ['critical', 'abnormal', 'normal'] as const;

/** The worst of several; `unknown` where none says anything. */
export const worstOf = (all: readonly (string | null)[]): Interpretation =>
  WORST_FIRST.find((level) => all.includes(level)) ?? 'unknown';

export interface FlagReading {
  /** What the flags say together; null where they say nothing of good or bad. */
  readonly interpretation: Interpretation | null;
  readonly side: 'above' | 'below' | null;
  /** A flag says that the value lies beyond what the instrument measures, which may well be critical. */
  readonly isOffScale: boolean;
}

export function readFlags(flags: readonly string[]): FlagReading {
  const [only] = flags;
  return flags.length === 1 && only !== undefined ? readFlag(only) : readTogether(flags);
}

const readFlag = remembered((flag) => readTogether([flag]));

function readTogether(flags: readonly string[]): FlagReading {
  const read = flags.flatMap((flag) => flagOf(flag) ?? []);
  const worst = worstOf(read.map(({ interpretation }) => interpretation));
  return {
    interpretation: worst === 'unknown' ? null : worst,
    side: read.find(({ side }) => side !== undefined)?.side ?? null,
    isOffScale: flags.some((flag) => /^\s*[<>]\s*$/.test(flag)),
  };
}

/** What an organism is to a drug, which is neither good nor bad by itself and has no place in a result but its flag. */
// prettier-ignore
const SUSCEPTIBILITIES: Readonly<Record<string, string>> = {
  S: 'susceptible', VS: 'very susceptible', MS: 'moderately susceptible', I: 'intermediate', R: 'resistant',
  SDD: 'susceptible, dose-dependent', NS: 'non-susceptible',
};

/** `Susceptibility: resistant`; undefined where no flag says such a thing. */
export function susceptibilityIn(flags: readonly string[]): string | undefined {
  for (const flag of flags) {
    const key = flag.trim().toUpperCase();
    if (Object.hasOwn(SUSCEPTIBILITIES, key)) return `Susceptibility: ${SUSCEPTIBILITIES[key]}`;
  }
  return undefined;
}

/** The codes of v3-ObservationInterpretation for the flags of a result. */
export const fhirCodesOf = (flags: readonly string[]): string[] => [
  ...new Set(flags.flatMap((flag) => flagOf(flag)?.fhir ?? [])),
];
