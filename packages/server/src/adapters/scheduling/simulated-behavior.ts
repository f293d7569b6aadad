import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '../../platform/errors.ts';
import type { VisitLocation, VisitRequest } from './port.ts';

/*
 * Faults and delays that sandbox users can trigger. Documented in docs/reference/simulated-scheduling.md: keep both in step.
 */

/** With `later` and `refused_later` the provider acknowledges at once and decides some minutes later. */
export type SimulatedBehavior = 'slow' | 'down' | 'taken' | 'later' | 'refused' | 'refused_later';

/** By the patient's last name, case-insensitive. Applies to every appointment request. */
const BEHAVIOR_BY_LAST_NAME: Readonly<Record<string, SimulatedBehavior>> = {
  providerslow: 'slow',
  providerdown: 'down',
  slottaken: 'taken',
  confirmedlater: 'later',
  refusedlater: 'refused_later',
  providerrefuses: 'refused',
};

type SimulatedLocationBehavior = 'slow' | 'down' | 'full';

/**
 * By location code, for slot requests. The code of a home is its ZIP code: three Alaskan villages and three fake sites.
 */
const BEHAVIOR_BY_LOCATION_CODE: Readonly<Record<string, SimulatedLocationBehavior>> = {
  '99925': 'slow',
  '99926': 'down',
  '99927': 'full',
  'QST-AK-02': 'slow',
  'QST-AK-03': 'down',
  'QST-AK-04': 'full',
};

export const getPatientBehavior = ({
  patient,
}: Pick<VisitRequest, 'patient'>): SimulatedBehavior | undefined =>
  BEHAVIOR_BY_LAST_NAME[patient.lastName.trim().toLowerCase()];

export const getLocationBehavior = ({
  code,
}: Pick<VisitLocation, 'code'>): SimulatedLocationBehavior | undefined => BEHAVIOR_BY_LOCATION_CODE[code];

const RETRY_AFTER_SECONDS = 30;

/** Waits like a slow provider, or throws like one that is down or refuses. */
export async function applyBehavior(
  behaviours: readonly (SimulatedBehavior | SimulatedLocationBehavior | undefined)[],
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
