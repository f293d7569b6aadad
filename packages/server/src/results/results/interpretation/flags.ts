import type { LabInterpretation } from '../../../adapters/lab-network/port.ts';
import { memoizeByText } from '../../../platform/memoize.ts';

/** The meaning of an abnormal flag: its severity, its side, and its FHIR code. */
interface AbnormalFlag {
  /** Null where the flag has no severity: `U` is only a change since the last result. */
  readonly interpretation: LabInterpretation | null;
  readonly side?: 'above' | 'below';
  /** In the code system v3-ObservationInterpretation. */
  readonly fhir: string | null;
}

const normal = (fhir: string | null): AbnormalFlag => ({ interpretation: 'normal', fhir });
const abnormal = (fhir: string | null, side?: AbnormalFlag['side']): AbnormalFlag => ({
  interpretation: 'abnormal',
  fhir,
  ...(side ? { side } : {}),
});
const critical = (fhir: string, side?: AbnormalFlag['side']): AbnormalFlag => ({
  interpretation: 'critical',
  fhir,
  ...(side ? { side } : {}),
});
const neutral = (fhir: string | null): AbnormalFlag => ({ interpretation: null, fhir });

/** HL7 table 0078, its later additions, and what laboratories write instead. */
// prettier-ignore
const FLAGS: Readonly<Record<string, AbnormalFlag>> = {
  N: normal('N'),            NEG: normal('NEG'),        ND: normal('ND'),          NR: normal('NR'),
  S: normal('S'),            VS: normal('S'),           NORMAL: normal('N'),       WNL: normal('N'),
  L: abnormal('L', 'below'), H: abnormal('H', 'above'), LOW: abnormal('L', 'below'), HIGH: abnormal('H', 'above'),
  LU: abnormal('LU', 'below'), HU: abnormal('HU', 'above'),
  '<': abnormal('<', 'below'), '>': abnormal('>', 'above'),
  A: abnormal('A'),          ABN: abnormal('A'),        ABNORMAL: abnormal('A'),   '*': abnormal('A'), '!': abnormal('A'),
  R: abnormal('R'),          I: neutral('I'),           MS: neutral('I'),          SDD: neutral('SDD'), NS: abnormal('NS'),
  SYN: abnormal('SYN-R'),    'SYN-R': abnormal('SYN-R'), 'SYN-S': normal('SYN-S'), EX: abnormal('EX'),
  HX: abnormal('HX', 'above'), LX: abnormal('LX', 'below'), POS: abnormal('POS'),  DET: abnormal('DET'),
  RR: abnormal('RR'),        WR: abnormal('WR'),        E: neutral('E'),            IND: neutral('IND'),
  LL: critical('LL', 'below'), HH: critical('HH', 'above'), AA: critical('AA'),
  PL: critical('LL', 'below'), PH: critical('HH', 'above'), LP: critical('LL', 'below'), HP: critical('HH', 'above'),
  CL: critical('LL', 'below'), CH: critical('HH', 'above'), C: critical('AA'), CRIT: critical('AA'), CRITICAL: critical('AA'),
  'L*': critical('LL', 'below'), 'H*': critical('HH', 'above'), '**': critical('AA'), '!!': critical('AA'), PANIC: critical('AA'),
  TOX: critical('AA'),
  // The words of table 0078, and what laboratories make of them.
  'CRITICAL LOW': critical('LL', 'below'), 'LOW CRITICAL': critical('LL', 'below'), 'CRITICALLY LOW': critical('LL', 'below'),
  'CRITICAL HIGH': critical('HH', 'above'), 'HIGH CRITICAL': critical('HH', 'above'), 'CRITICALLY HIGH': critical('HH', 'above'),
  'PANIC LOW': critical('LL', 'below'), 'LOW PANIC': critical('LL', 'below'), 'BELOW LOWER PANIC LIMITS': critical('LL', 'below'),
  'PANIC HIGH': critical('HH', 'above'), 'HIGH PANIC': critical('HH', 'above'), 'ABOVE UPPER PANIC LIMITS': critical('HH', 'above'),
  'VERY ABNORMAL': critical('AA'), 'BELOW LOW NORMAL': abnormal('L', 'below'), 'ABOVE HIGH NORMAL': abnormal('H', 'above'),
  U: neutral('U'), D: neutral('D'), B: neutral('B'), W: neutral('W'), NULL: neutral(null), NCL: neutral(null), AC: neutral(null), QCF: neutral(null),
};

const findFlag = (flag: string): AbnormalFlag | undefined => {
  const key = flag.trim().toUpperCase();
  return Object.hasOwn(FLAGS, key) ? FLAGS[key] : undefined;
};

const WORST_FIRST = ['critical', 'abnormal', 'normal'] as const;

/** The worst interpretation; `unknown` where there is none. */
export const worstInterpretation = (all: readonly (string | null)[]): LabInterpretation =>
  WORST_FIRST.find((level) => all.includes(level)) ?? 'unknown';

export interface FlagInterpretation {
  /** The worst interpretation of the flags; null where no flag has one. */
  readonly interpretation: LabInterpretation | null;
  readonly side: 'above' | 'below' | null;
  /** A flag says that the value is outside the measuring range of the instrument, which may be critical. */
  readonly isOffScale: boolean;
}

export function interpretFlags(flags: readonly string[]): FlagInterpretation {
  const [only] = flags;
  return flags.length === 1 && only !== undefined ? interpretFlag(only) : combineFlags(flags);
}

const interpretFlag = memoizeByText((flag) => combineFlags([flag]));

function combineFlags(flags: readonly string[]): FlagInterpretation {
  const read = flags.flatMap((flag) => findFlag(flag) ?? []);
  const worst = worstInterpretation(read.map(({ interpretation }) => interpretation));
  return {
    interpretation: worst === 'unknown' ? null : worst,
    side: read.find(({ side }) => side !== undefined)?.side ?? null,
    isOffScale: flags.some((flag) => /^\s*[<>]\s*$/.test(flag)),
  };
}

/**
 * The susceptibility of an organism to a drug, in full; `microbiology.susceptibility` has the code. As interpretation,
 * susceptible is normal and resistant abnormal. Between them there is none: such an organism can be treated with more of
 * the drug.
 */
// prettier-ignore
const SUSCEPTIBILITIES: Readonly<Record<string, string>> = {
  S: 'susceptible', VS: 'very susceptible', MS: 'moderately susceptible', I: 'intermediate', R: 'resistant',
  SDD: 'susceptible, dose-dependent', NS: 'non-susceptible',
};

/** The susceptibility that a flag states, in the codes of today; null where no flag is about susceptibility. */
export function findSusceptibility(flags: readonly string[]): string | null {
  for (const flag of flags) {
    const key = flag.trim().toUpperCase();
    if (Object.hasOwn(SUSCEPTIBILITIES, key)) return findFlag(key)?.fhir ?? key;
  }
  return null;
}

/** `Susceptibility: resistant`; undefined where no flag is about susceptibility. */
export function describeSusceptibility(flags: readonly string[]): string | undefined {
  for (const flag of flags) {
    const key = flag.trim().toUpperCase();
    if (Object.hasOwn(SUSCEPTIBILITIES, key)) return `Susceptibility: ${SUSCEPTIBILITIES[key]}`;
  }
  return undefined;
}

/** The codes of v3-ObservationInterpretation for the flags of a result. */
export const toFhirInterpretationCodes = (flags: readonly string[]): string[] => [
  ...new Set(flags.flatMap((flag) => findFlag(flag)?.fhir ?? [])),
];
