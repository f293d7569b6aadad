import { requireFound } from '../../platform/errors.ts';
import type { AppointmentType } from './status.ts';

/** A reason for a cancellation. The ids are part of the interface: they never change and are never reused. */
interface CancellationReason {
  readonly id: string;
  readonly name: string;
  /** Whether the payment for the visit is refunded. */
  readonly is_refundable: boolean;
}

// prettier-ignore
const REASONS: Readonly<Record<AppointmentType, readonly CancellationReason[]>> = {
  phlebotomy: [
    { id: '6f0c8f1e-2d0a-4c55-9a3e-0d6b1f1f7a01', name: 'Patient cannot make the appointment',       is_refundable: true },
    { id: '0b9a4f0c-7f5e-4f57-8d6c-5b0e6a3d9c02', name: 'Patient no longer wants the test',          is_refundable: true },
    { id: 'c3a1d7e2-94b6-4f0b-b1c7-2e8f5a6d4b03', name: 'Patient is ill',                            is_refundable: true },
    { id: '5d2e9b80-1c7f-4a64-8e2b-7f9a0c3b6d04', name: 'Patient was not prepared (fasting, fluids)', is_refundable: false },
    { id: '91f7c5a4-3e8d-4d19-a5f0-6c2b8e7d1f05', name: 'Patient was not at home',                   is_refundable: false },
    { id: 'e8b46d13-5a29-4c8e-9f71-3d0a7b5c2e06', name: 'Address is wrong or not accessible',        is_refundable: false },
    { id: '2a7d3c96-8f1b-4e72-b604-9e5c1d8f0a07', name: 'Ordered by mistake or twice',               is_refundable: true },
    { id: '74c0e5f8-6b3a-4b9d-8c15-1f2e9d7a6b08', name: 'Other',                                     is_refundable: true },
  ],
  patient_service_center: [
    { id: 'b5e8a1d4-0c6f-4d37-9b82-4a7f3e1c5d11', name: 'Patient cannot make the appointment',       is_refundable: true },
    { id: '3f9d6c27-e1a8-4b50-8f4d-6c0b2e9a7d12', name: 'Patient no longer wants the test',          is_refundable: true },
    { id: 'd07b4e59-2f8c-4a16-b3e9-8d5f1c6a0e13', name: 'Patient is ill',                            is_refundable: true },
    { id: '68a2f0c1-9d5e-4c7b-a048-0e3b7d9f4c14', name: 'Patient goes to another center',            is_refundable: true },
    { id: 'fa51d8b3-7c0e-4f92-8a6d-2b9e4c7f1d15', name: 'Center was closed or too busy',             is_refundable: true },
    { id: '1e6c9f74-b8d2-4e03-9c5a-5f7a0d3e8b16', name: 'Ordered by mistake or twice',               is_refundable: true },
    { id: '8d3b7a05-4e9f-4d68-b17c-c2e6f0a9d517', name: 'Other',                                     is_refundable: true },
  ],
};

export const listReasons = (type: AppointmentType): readonly CancellationReason[] => REASONS[type];

/** The reason with this id for this type of appointment, or a 404. */
export const getReason = (type: AppointmentType, id: string): CancellationReason =>
  requireFound(
    REASONS[type].find((reason) => reason.id === id.toLowerCase()),
    'Cancellation reason',
  );
