import type { Subject } from '../events/events.ts';
import type { Work } from '../platform/work.ts';
import type { UserChange, UserRow } from './store.ts';

/** What is assumed of a user until better is known, and who said so. */
export interface Fallback {
  readonly value: string;
  readonly sourceSlug: string;
  readonly updatedAt: Date;
}

export interface User {
  readonly id: string;
  readonly clientUserId: string;
  readonly createdAt: Date;
  readonly fallbackTimeZone: Fallback | null;
  readonly fallbackBirthDate: Fallback | null;
  readonly ingestionStart: string | null;
  readonly ingestionEnd: string | null;
}

/** Whom an event of this user is about. */
export const subjectOf = (user: User): Subject => ({ userId: user.id, clientUserId: user.clientUserId });

const BIRTH_DATE_PLACE = 'app_user.fallback_birth_date';

export function userOf(work: Work, row: UserRow): User {
  const birth = row.fallback_birth_date && work.cipher.open(row.fallback_birth_date, BIRTH_DATE_PLACE);
  return {
    id: row.id,
    clientUserId: row.client_user_id,
    createdAt: row.created_at,
    fallbackTimeZone: fallback(
      row.fallback_time_zone,
      row.fallback_time_zone_source,
      row.fallback_time_zone_at,
    ),
    fallbackBirthDate: fallback(birth, row.fallback_birth_date_source, row.fallback_birth_date_at),
    ingestionStart: row.ingestion_start,
    ingestionEnd: row.ingestion_end,
  };
}

const fallback = (
  value: string | null,
  sourceSlug: string | null,
  updatedAt: Date | null,
): Fallback | null =>
  value !== null && sourceSlug !== null && updatedAt !== null ? { value, sourceSlug, updatedAt } : null;

/** The source of what the team itself has said. */
const MANUAL = 'manual';

/** What a team may say of a user: null clears it, and what is left out stays. */
export interface Said {
  readonly fallback_time_zone?: string | null | undefined;
  readonly fallback_birth_date?: string | null | undefined;
  readonly ingestion_start?: string | null | undefined;
  readonly ingestion_end?: string | null | undefined;
}

/** The columns of what was said; what was left out is not among them. */
export function fallbackColumns(work: Work, said: Said): UserChange {
  const { fallback_time_zone: zone, fallback_birth_date: birth } = said;
  const { ingestion_start: start, ingestion_end: end } = said;
  const source = (value: string | null) => (value === null ? null : MANUAL);
  const at = (value: string | null) => (value === null ? null : work.now);
  return {
    ...(zone !== undefined && {
      fallback_time_zone: zone,
      fallback_time_zone_source: source(zone),
      fallback_time_zone_at: at(zone),
    }),
    ...(birth !== undefined && {
      fallback_birth_date: birth === null ? null : work.cipher.seal(birth, BIRTH_DATE_PLACE),
      fallback_birth_date_source: source(birth),
      fallback_birth_date_at: at(birth),
    }),
    ...(start !== undefined && { ingestion_start: start }),
    ...(end !== undefined && { ingestion_end: end }),
  };
}
