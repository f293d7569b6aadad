/** A part of a long command. */
export interface ProgressStep {
  readonly name: string;
  /** Duration on an idle machine. If no step has one, all count equally, and the time left is unknown at first. */
  readonly expectedSeconds?: number;
}

/** Measurements so far. Skipped steps are in none of the fields. */
interface ProgressMeasurements {
  /** The finished steps with their durations. */
  readonly ended: readonly { readonly step: ProgressStep; readonly seconds: number }[];
  readonly current: CurrentStep | undefined;
  /** The steps that have not begun. */
  readonly remaining: readonly ProgressStep[];
}

export interface CurrentStep {
  readonly step: ProgressStep;
  /** Since it began. */
  readonly seconds: number;
  /** Time left by the pace of its parts; undefined if the step does not report how much is done. */
  readonly secondsLeft: number | undefined;
}

/** This share of the expectation counts as measured, because one short step says little about a long one. */
const PRIOR_SHARE = 0.1;

/** Seconds until the last step ends; undefined while nothing is known. */
export function secondsLeft({ ended, current, remaining }: ProgressMeasurements): number | undefined {
  const steps = [...ended.map(({ step }) => step), ...(current ? [current.step] : []), ...remaining];
  const areExpected = steps.some(({ expectedSeconds }) => expectedSeconds !== undefined);
  const weightOf = (step: ProgressStep): number => step.expectedSeconds ?? (areExpected ? 0 : 1);
  const weigh = (some: readonly ProgressStep[]): number => sum(some.map(weightOf));
  const prior = areExpected ? weigh(steps) * PRIOR_SHARE : 0;
  const weightEnded = weigh(ended.map(({ step }) => step));
  const measured = sum(ended.map(({ seconds }) => seconds));
  const secondsPerWeight = weightEnded + prior > 0 ? (measured + prior) / (weightEnded + prior) : undefined;
  const ofCurrent = current ? secondsLeftOfStep(current, secondsPerWeight, weightOf) : 0;
  const weightRemaining = weigh(remaining);
  if (ofCurrent === undefined) return undefined;
  if (weightRemaining === 0) return ofCurrent;
  return secondsPerWeight === undefined ? undefined : ofCurrent + weightRemaining * secondsPerWeight;
}

function secondsLeftOfStep(
  { step, seconds, secondsLeft: measured }: CurrentStep,
  secondsPerWeight: number | undefined,
  weightOf: (step: ProgressStep) => number,
): number | undefined {
  if (measured !== undefined) return measured;
  return secondsPerWeight === undefined
    ? undefined
    : Math.max(weightOf(step) * secondsPerWeight - seconds, 0);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** `45 s`, `2 min 15 s`, `12 min`, `1 h 5 min`: longer durations are coarser. */
export function describeDuration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes >= 10) return `${minutes} min`;
  if (minutes > 0) return rest > 0 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${rest} s`;
}
