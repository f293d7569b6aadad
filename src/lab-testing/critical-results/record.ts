import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import './table.ts';

/** What is critical, as the report said it. */
export interface CriticalValue {
  readonly name: string;
  readonly slug: string;
  readonly loinc: string | null;
  readonly provider_id: string | null;
  readonly result: string;
  readonly unit: string | null;
  readonly reference_range: string | null;
  readonly notes: string | null;
}

/** What is sealed in the row of a critical result. */
export interface CriticalPrivate {
  readonly values: readonly CriticalValue[];
  readonly laboratory: string;
  readonly sampleId: string | null;
}

/** What is sealed in the row of a notification. */
export interface NotificationPrivate {
  readonly recipientName: string;
  readonly recipientRole: string | null;
  readonly notifiedBy: string | null;
  readonly notes: string | null;
  readonly saidBack?: string | null;
  readonly verifiedBy?: string | null;
  readonly readBackNotes?: string | null;
}

export interface Notification extends Omit<Selectable<Database['critical_result_notification']>, 'private'> {
  readonly private: NotificationPrivate;
}

export type CriticalRow = Omit<Selectable<Database['critical_result']>, 'private'> & {
  readonly private: CriticalPrivate;
  /** The newest version of the order's results. */
  readonly latest_version: number;
};

export const EMAIL_REASONS = ['opened', 'escalated'] as const;
export type EmailReason = (typeof EMAIL_REASONS)[number];

export interface CriticalResult extends CriticalRow {
  readonly notifications: readonly Notification[];
  readonly emails: readonly {
    readonly reason: EmailReason;
    readonly status: 'waiting' | 'sent' | 'failed';
    readonly settled_at: Date | null;
  }[];
}

export const emailKey = (id: string, reason: EmailReason): string => `critical-result/${id}/${reason}`;
