import { asItems, momentOf, withPlainNames, type PhoneItem } from './payload.ts';

/** The codes of the contract, by the field of a sleep. Time in bed and out of bed is no stage of sleep. */
// prettier-ignore
const STAGES: Readonly<Record<string, number>> = {
  deep_sleep_samples: 1,
  light_sleep_samples: 2,
  rem_sleep_samples: 3,
  awake_sleep_samples: 4,
  unspecified_sleep_samples: -1,
  unknown_sleep_samples: -1,
};

export interface StageInterval {
  readonly from: number;
  readonly until: number;
  readonly code: number;
}

/** The stages of a sleep in their order. */
export function toStageIntervals(stages: PhoneItem): StageInterval[] {
  const plain = withPlainNames(stages);
  return Object.entries(STAGES)
    .flatMap(([field, code]) =>
      asItems(plain[field]).flatMap((sample) => {
        const [from, until] = [momentOf(sample['start_date']), momentOf(sample['end_date'])];
        return from !== null && until !== null && until > from ? [{ from, until, code }] : [];
      }),
    )
    .toSorted((one, other) => one.from - other.from || one.until - other.until);
}

/** Seconds by stage. Sleep of no stated stage counts only as sleep. */
export function sumStages(stages: readonly StageInterval[]) {
  const sum = (...codes: number[]) =>
    Math.round(
      stages
        .filter(({ code }) => codes.includes(code))
        .reduce((total, { from, until }) => total + until - from, 0) / 1000,
    );
  return { deep: sum(1), light: sum(2), rem: sum(3), awake: sum(4), asleep: sum(1, 2, 3, -1) };
}
