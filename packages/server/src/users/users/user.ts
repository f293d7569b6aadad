import type { EventSubject } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import type { UserChange, UserRow } from './store.ts';

/** A default for data that do not have the value themselves, and its source. */
interface UserFallback {
  readonly value: string;
  readonly sourceSlug: string;
  readonly updatedAt: Date;
}

export interface User {
  readonly id: string;
  readonly clientUserId: string;
  readonly createdAt: Date;
  readonly fallbackTimeZone: UserFallback | null;
  readonly fallbackBirthDate: UserFallback | null;
  readonly ingestionStart: string | null;
  readonly ingestionEnd: string | null;
}

/** The subject of events about this user. */
export const subjectOf = (user: User): EventSubject => ({ userId: user.id, clientUserId: user.clientUserId });

const BIRTH_DATE_CONTEXT = 'app_user.fallback_birth_date';

export function toUser(work: Work, row: UserRow): User {
  const birth = row.fallback_birth_date && work.cipher.open(row.fallback_birth_date, BIRTH_DATE_CONTEXT);
  return {
    id: row.id,
    clientUserId: row.client_user_id,
    createdAt: row.created_at,
    fallbackTimeZone: toFallback(
      row.fallback_time_zone,
      row.fallback_time_zone_source,
      row.fallback_time_zone_at,
    ),
    fallbackBirthDate: toFallback(birth, row.fallback_birth_date_source, row.fallback_birth_date_at),
    ingestionStart: row.ingestion_start,
    ingestionEnd: row.ingestion_end,
  };
}

const toFallback = (
  value: string | null,
  sourceSlug: string | null,
  updatedAt: Date | null,
): UserFallback | null =>
  value !== null && sourceSlug !== null && updatedAt !== null ? { value, sourceSlug, updatedAt } : null;

/** The source of values that the team sets. */
const MANUAL = 'manual';

/** The fields that a team can set: null clears a field, an omitted field is kept. */
export interface UserFallbackInput {
  readonly fallback_time_zone?: string | null | undefined;
  readonly fallback_birth_date?: string | null | undefined;
  readonly ingestion_start?: string | null | undefined;
  readonly ingestion_end?: string | null | undefined;
}

/** The columns to update; omitted fields are not included. */
export function toFallbackColumns(work: Work, said: UserFallbackInput): UserChange {
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
      fallback_birth_date: birth === null ? null : work.cipher.seal(birth, BIRTH_DATE_CONTEXT),
      fallback_birth_date_source: source(birth),
      fallback_birth_date_at: at(birth),
    }),
    ...(start !== undefined && { ingestion_start: start }),
    ...(end !== undefined && { ingestion_end: end }),
  };
}
