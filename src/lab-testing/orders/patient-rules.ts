import { ageAt, requirePastDob, type PatientDetails } from '../../people/schema.ts';
import { teamSettings } from '../../management/management.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Modality } from './status.ts';

const ADULT_YEARS = 18;

/** Minors only with a proxy, only for teams that have it on, and never for a draw at home. */
export async function requirePatient(
  work: Work,
  patient: PatientDetails,
  collectedBy: Modality,
): Promise<void> {
  requirePastDob(work, patient.dob, ['body', 'patient_details', 'dob']);
  if (ageAt(work.now, patient.dob) >= ADULT_YEARS) return;
  if (collectedBy === 'at_home_phlebotomy') {
    throw new DomainError('bad_request', 'At-home phlebotomy is not available to patients under 18');
  }
  if (!(await teamSettings(work)).minor_ordering_enabled) {
    throw new DomainError(
      'bad_request',
      'Ordering for patients under 18 is not enabled for this team (minor_ordering_enabled)',
    );
  }
  if (!patient.medical_proxy) {
    throw new DomainError('bad_request', 'A medical_proxy is needed for a patient under 18');
  }
}
