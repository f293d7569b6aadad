import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import './table.ts';

/** A critical value, as reported. */
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

/** The sealed part of a critical result row. */
export interface CriticalResultPrivate {
  readonly values: readonly CriticalValue[];
  readonly laboratory: string;
  readonly sampleId: string | null;
}

/** The sealed part of a notification row. */
export interface CriticalNotificationPrivate {
  readonly recipientName: string;
  readonly recipientRole: string | null;
  readonly notifiedBy: string | null;
  readonly notes: string | null;
  readonly saidBack?: string | null;
  readonly verifiedBy?: string | null;
  readonly readBackNotes?: string | null;
}

export interface CriticalResultNotification extends Omit<
  Selectable<Database['critical_result_notification']>,
  'private'
> {
  readonly private: CriticalNotificationPrivate;
}

export type CriticalResultRow = Omit<Selectable<Database['critical_result']>, 'private'> & {
  readonly private: CriticalResultPrivate;
  /** The latest version of the order's results. */
  readonly latest_version: number;
};

export const EMAIL_REASONS = ['opened', 'escalated'] as const;
export type EmailReason = (typeof EMAIL_REASONS)[number];

export interface CriticalResult extends CriticalResultRow {
  readonly notifications: readonly CriticalResultNotification[];
  readonly emails: readonly {
    readonly reason: EmailReason;
    readonly status: 'waiting' | 'sent' | 'failed';
    readonly settled_at: Date | null;
  }[];
}

export const toEmailKey = (id: string, reason: EmailReason): string => `critical-result/${id}/${reason}`;
