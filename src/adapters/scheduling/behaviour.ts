import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '../../platform/errors.ts';
import type { VisitPlace, VisitWish } from './port.ts';

/*
 * What a user of a sandbox can provoke on purpose. docs/scheduling.md says it to them; keep the two together.
 */

/** `later` and `refused_later`: the provider acknowledges, and answers only when it is looked at some minutes on. */
export type Behaviour = 'slow' | 'down' | 'taken' | 'later' | 'refused' | 'refused_later';

/** By the last name of the patient, in any case, for everything that is asked about an appointment. */
const BY_LAST_NAME: Readonly<Record<string, Behaviour>> = {
  providerslow: 'slow',
  providerdown: 'down',
  slottaken: 'taken',
  confirmedlater: 'later',
  refusedlater: 'refused_later',
  providerrefuses: 'refused',
};

type PlaceBehaviour = 'slow' | 'down' | 'full';

/** By the code of the place, for its slots. A home's is its ZIP code: three villages of Alaska, and three made sites there. */
const BY_CODE: Readonly<Record<string, PlaceBehaviour>> = {
  '99925': 'slow',
  '99926': 'down',
  '99927': 'full',
  'QST-AK-02': 'slow',
  'QST-AK-03': 'down',
  'QST-AK-04': 'full',
};

export const behaviourTo = ({ patient }: Pick<VisitWish, 'patient'>): Behaviour | undefined =>
  BY_LAST_NAME[patient.lastName.trim().toLowerCase()];

export const behaviourAt = ({ code }: Pick<VisitPlace, 'code'>): PlaceBehaviour | undefined => BY_CODE[code];

const RETRY_AFTER_SECONDS = 30;

/** Waits as a slow provider makes us wait, or fails as one that is down or that refuses. */
export async function undergo(
  behaviours: readonly (Behaviour | PlaceBehaviour | undefined)[],
  slowMs: number,
): Promise<void> {
  if (behaviours.includes('down')) {
    throw new DomainError('unavailable', 'The scheduling provider cannot be reached', RETRY_AFTER_SECONDS);
  }
  if (behaviours.includes('slow')) await wait(slowMs);
  if (behaviours.includes('refused')) {
    throw new DomainError('bad_request', 'The scheduling provider refused: it does not see this patient');
  }
}
