import { z } from 'zod';
import {
  AddressFields,
  AddressViewFields,
  BirthDate,
  Email,
  GuarantorDetails,
  GuarantorDetailsView,
  demographicFields,
  PersonName,
  PhoneNumber,
} from '../../people/schema.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { DateInput } from '../../platform/timestamp-input.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { User } from './user.ts';

/** The team's own id of a user. */
export const ClientUserId = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !text.includes('\0'), 'expected text without NUL characters');

export const TimeZone = z.string().refine(isTimeZone, 'expected an IANA time zone name, as America/New_York');

/** All three-letter names in the IANA database. */
const SHORT_ZONES = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isTimeZone(name: string): boolean {
  // The runtime accepts offsets such as +01:00, but they are not names.
  if (!/^[A-Za-z]/.test(name)) return false;
  // It also accepts legacy abbreviations, with unexpected meanings: BST is Dhaka and AST is Anchorage.
  if (/^[a-z]{3}$/i.test(name) && !SHORT_ZONES.has(name.toUpperCase())) return false;
  if (/^SystemV\//i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const fallbackFields = {
  fallback_time_zone: TimeZone.nullish().describe(
    'An IANA time zone, as `America/New_York`, for data without one; null clears it.',
  ),
  fallback_birth_date: BirthDate.nullish().describe('`YYYY-MM-DD`; null clears it.'),
  ingestion_start: DateInput.nullish().describe(
    'The first day to ingest wearable data for, `YYYY-MM-DD`; null means no limit.',
  ),
  ingestion_end: DateInput.nullish().describe(
    'The last day to ingest wearable data for, `YYYY-MM-DD`; null means no limit.',
  ),
};

export const CreateUser = z
  .object({
    client_user_id: ClientUserId.describe('Your own id of the user; unique in the team.'),
    ...fallbackFields,
  })
  .meta({ id: 'UserCreateBody' });
export type CreateUser = z.output<typeof CreateUser>;

/** An omitted field is kept; null clears it, except for client_user_id, which every user has. */
export const ChangeUser = z
  .object({
    ...fallbackFields,
    client_user_id: ClientUserId.nullish().describe('Your own id of the user; null keeps the current one.'),
  })
  .meta({ id: 'UserPatchBody' });
export type ChangeUser = z.output<typeof ChangeUser>;

const ProviderView = z
  .object({ name: z.string(), slug: z.string(), logo: z.string() })
  .meta({ id: 'ClientFacingProvider' });

const ConnectedSource = z
  .object({ provider: ProviderView, created_on: Timestamp, source: ProviderView })
  .meta({ id: 'ConnectedSourceClientFacing' });

export const UserView = z
  .object({
    user_id: z.uuid(),
    team_id: z.uuid(),
    client_user_id: z.string(),
    created_on: Timestamp,
    connected_sources: z.array(ConnectedSource),
    fallback_time_zone: z
      .object({ id: z.string(), source_slug: z.string(), updated_at: Timestamp })
      .meta({ id: 'FallbackTimeZone' })
      .nullable(),
    fallback_birth_date: z
      .object({ value: z.iso.date(), source_slug: z.string(), updated_at: Timestamp })
      .meta({ id: 'FallbackBirthDate' })
      .nullable(),
    ingestion_start: z.iso.date().nullable(),
    ingestion_end: z.iso.date().nullable(),
  })
  .meta({ id: 'ClientFacingUser' });
export type UserView = z.output<typeof UserView>;

/** A provider that the user has connected, and since when. */
export interface ConnectedProvider {
  readonly provider: z.output<typeof ProviderView>;
  readonly createdAt: Date;
}

export function viewUser(tenant: Tenant, user: User, sources: readonly ConnectedProvider[] = []): UserView {
  const { fallbackTimeZone: zone, fallbackBirthDate: birth } = user;
  return {
    user_id: user.id,
    team_id: tenant.teamId,
    client_user_id: user.clientUserId,
    created_on: isoTimestamp(user.createdAt),
    connected_sources: sources.map(({ provider, createdAt }) => ({
      provider,
      source: provider,
      created_on: isoTimestamp(createdAt),
    })),
    fallback_time_zone: zone && {
      id: zone.value,
      source_slug: zone.sourceSlug,
      updated_at: isoTimestamp(zone.updatedAt),
    },
    fallback_birth_date: birth && {
      value: birth.value,
      source_slug: birth.sourceSlug,
      updated_at: isoTimestamp(birth.updatedAt),
    },
    ingestion_start: user.ingestionStart,
    ingestion_end: user.ingestionEnd,
  };
}

export const UserList = z
  .object({ users: z.array(UserView), total: z.int(), offset: z.int(), limit: z.int() })
  .meta({ id: 'PaginatedUsersResponse' });

export const UserConflict = z
  .object({
    detail: z
      .object({ error_type: z.string(), error_message: z.string(), user_id: z.uuid(), created_on: Timestamp })
      .meta({ id: 'ClientUserIDConflict' }),
  })
  .meta({ id: 'ClientUserIDConflictResponse' });

export const UserSuccess = z.object({ success: z.boolean() }).meta({ id: 'UserSuccessResponse' });

export const UserMetrics = z
  .object({
    team_id: z.uuid(),
    number_of_connected_sources: z.int().default(0),
    number_of_users: z.int().default(0),
    number_of_errored_connected_sources: z.int().default(0),
    number_of_connected_sources_by_week: z
      .array(
        z
          .object({ date: Timestamp, value: z.number(), all: z.number() })
          .meta({ id: 'TimeseriesMetricPoint' }),
      )
      .default([])
      .describe(
        'Sources that are connected now, for the newest 52 weeks, each from Monday in UTC. `value`: connected in the ' +
          'week; `all`: connected by its end.',
      ),
    number_of_ordered_tests: z.int().default(0),
  })
  .meta({ id: 'MetricsResult' });

/** The caller must check `dob` against the tenant's clock: `requirePastDob`. */
export const Demographics = z
  .object({
    first_name: PersonName.describe('The first name.'),
    last_name: PersonName.describe('The last name.'),
    email: Email.describe('The e-mail address.'),
    phone_number: PhoneNumber.describe('The phone number, 7 to 15 digits.'),
    gender: z.string().trim().min(1).max(50).describe('The gender, free text of at most 50 characters.'),
    dob: BirthDate.describe('The day of birth, before today; `YYYY-MM-DD`.'),
    address: AddressFields.meta({ id: 'UserAddress' }).describe('The postal address.'),
    medical_proxy: GuarantorDetails.nullish().describe('Who decides for the user, for example a parent.'),
    ...demographicFields,
  })
  .meta({ id: 'UserInfoCreateRequest' });
export type Demographics = z.output<typeof Demographics>;

export const DemographicsView = z
  .object({
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    phone_number: z.string(),
    gender: z.string(),
    dob: z.iso.date(),
    address: AddressViewFields.meta({ id: 'UserAddress' }),
    medical_proxy: GuarantorDetailsView.nullish(),
    ...demographicFields,
  })
  .meta({ id: 'UserInfo' });
/** As stored, without validation: stricter rules may have been added since. */
export type StoredDemographics = z.output<typeof DemographicsView>;
