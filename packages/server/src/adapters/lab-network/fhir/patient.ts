import type { z } from 'zod';
import type { ReceivedPatient } from '../received.ts';
import type { Patient } from './wire.ts';

export function toReceivedPatient({
  id,
  identifier,
  name,
  gender,
  birthDate,
}: z.output<typeof Patient>): ReceivedPatient {
  const called = name.find(({ use }) => use === 'official') ?? name[0];
  const named = identifier.find(({ value }) => value !== undefined)?.value;
  return {
    firstName: called?.given[0] ?? null,
    lastName: called?.family ?? null,
    dob: birthDate?.length === 10 ? birthDate : null,
    gender: gender === undefined || gender === 'unknown' ? null : gender,
    patientId: (named ?? id)?.replace(/^urn:uuid:/, '') ?? null,
  };
}
