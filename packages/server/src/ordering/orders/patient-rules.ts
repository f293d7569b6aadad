import { ageAt, requirePastDob, type PatientDetails } from '../../people/schema.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderModality } from './status.ts';

const ADULT_YEARS = 18;

/**
 * Patients under 18 need a medical proxy and a team with `minor_ordering_enabled`; at-home draws are for adults only.
 */
export async function requireEligiblePatient(
  work: Work,
  patient: PatientDetails,
  collectedBy: OrderModality,
): Promise<void> {
  requirePastDob(work, patient.dob, ['body', 'patient_details', 'dob']);
  if (ageAt(work.now, patient.dob) >= ADULT_YEARS) return;
  if (collectedBy === 'at_home_phlebotomy') {
    throw new DomainError('bad_request', 'At-home phlebotomy is not available to patients under 18');
  }
  if (!(await readTeamSettings(work)).minor_ordering_enabled) {
    throw new DomainError(
      'bad_request',
      'Ordering for patients under 18 is not enabled for this team (minor_ordering_enabled)',
    );
  }
  if (!patient.medical_proxy) {
    throw new DomainError('bad_request', 'A patient under 18 needs a medical_proxy');
  }
}
