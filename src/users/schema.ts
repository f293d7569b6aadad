import { z } from 'zod';
import {
  AddressFields,
  AddressViewFields,
  BirthDate,
  Email,
  GuarantorDetails,
  GuarantorDetailsView,
  Identity,
  PersonName,
  PhoneNumber,
} from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { GivenDay } from '../platform/given-moments.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { User } from './user.ts';

/** The team's own name of a user. */
export const ClientUserId = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => !text.includes('\0'), 'expected text without NUL characters');

export const TimeZone = z.string().refine(isTimeZone, 'expected an IANA time zone name, as America/New_York');

/** All names of three letters that the IANA database has. */
const SHORT_ZONES = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are taken by the runtime, but they are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  // So are abbreviations of old, and not as people mean them: to the runtime BST is Dhaka and AST Anchorage.
  if (/^[a-z]{3}$/i.test(name) && !SHORT_ZONES.has(name.toUpperCase())) return false;
  if (/^SystemV\//i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const fallbacks = {
  fallback_time_zone: TimeZone.nullish(),
  fallback_birth_date: BirthDate.nullish(),
  ingestion_start: GivenDay.nullish(),
  ingestion_end: GivenDay.nullish(),
};

export const CreateUser = z
  .object({ client_user_id: ClientUserId, ...fallbacks })
  .meta({ id: 'UserCreateBody' });
export type CreateUser = z.output<typeof CreateUser>;

/** A field that is left out stays; null clears it, but for client_user_id, which every user has. */
export const ChangeUser = z
  .object({ ...fallbacks, client_user_id: ClientUserId.nullish() })
  .meta({ id: 'UserPatchBody' });
export type ChangeUser = z.output<typeof ChangeUser>;

const Moment = z.iso.datetime({ offset: true });

const Provider = z
  .object({ name: z.string(), slug: z.string(), logo: z.string() })
  .meta({ id: 'ClientFacingProvider' });

const ConnectedSource = z
  .object({ provider: Provider, created_on: Moment, source: Provider })
  .meta({ id: 'ConnectedSourceClientFacing' });

export const UserView = z
  .object({
    user_id: z.uuid(),
    team_id: z.uuid(),
    client_user_id: z.string(),
    created_on: Moment,
    connected_sources: z.array(ConnectedSource),
    fallback_time_zone: z
      .object({ id: z.string(), source_slug: z.string(), updated_at: Moment })
      .meta({ id: 'FallbackTimeZone' })
      .nullable(),
    fallback_birth_date: z
      .object({ value: z.iso.date(), source_slug: z.string(), updated_at: Moment })
      .meta({ id: 'FallbackBirthDate' })
      .nullable(),
    ingestion_start: z.iso.date().nullable(),
    ingestion_end: z.iso.date().nullable(),
  })
  .meta({ id: 'ClientFacingUser' });
export type UserView = z.output<typeof UserView>;

/** What a user has connected, and since when. */
export interface KnownSource {
  readonly provider: z.output<typeof Provider>;
  readonly createdAt: Date;
}

export function viewUser(tenant: Tenant, user: User, sources: readonly KnownSource[] = []): UserView {
  const { fallbackTimeZone: zone, fallbackBirthDate: birth } = user;
  return {
    user_id: user.id,
    team_id: tenant.teamId,
    client_user_id: user.clientUserId,
    created_on: isoMoment(user.createdAt),
    connected_sources: sources.map(({ provider, createdAt }) => ({
      provider,
      source: provider,
      created_on: isoMoment(createdAt),
    })),
    fallback_time_zone: zone && {
      id: zone.value,
      source_slug: zone.sourceSlug,
      updated_at: isoMoment(zone.updatedAt),
    },
    fallback_birth_date: birth && {
      value: birth.value,
      source_slug: birth.sourceSlug,
      updated_at: isoMoment(birth.updatedAt),
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
      .object({ error_type: z.string(), error_message: z.string(), user_id: z.uuid(), created_on: Moment })
      .meta({ id: 'ClientUserIDConflict' }),
  })
  .meta({ id: 'ClientUserIDConflictResponse' });

export const UserSuccess = z.object({ success: z.boolean() }).meta({ id: 'UserSuccessResponse' });

export const Metrics = z
  .object({
    team_id: z.uuid(),
    number_of_connected_sources: z.int().default(0),
    number_of_users: z.int().default(0),
    number_of_errored_connected_sources: z.int().default(0),
    number_of_connected_sources_by_week: z
      .array(
        z.object({ date: Moment, value: z.number(), all: z.number() }).meta({ id: 'TimeseriesMetricPoint' }),
      )
      .default([])
      .describe(
        'Of what is connected now, the newest 52 weeks, each from Monday in UTC: `value` was connected in it, `all` ' +
          'was there at its end.',
      ),
    number_of_ordered_tests: z.int().default(0),
  })
  .meta({ id: 'MetricsResult' });

/** `dob` is still to be checked against the tenant's clock. */
export const Demographics = z
  .object({
    first_name: PersonName,
    last_name: PersonName,
    email: Email,
    phone_number: PhoneNumber,
    gender: z.string().trim().min(1).max(50),
    dob: BirthDate,
    address: AddressFields.meta({ id: 'UserAddress' }),
    medical_proxy: GuarantorDetails.nullish(),
    ...Identity,
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
    ...Identity,
  })
  .meta({ id: 'UserInfo' });
/** As they were kept: what the rules of an earlier day let in is let out. */
export type KnownDemographics = z.output<typeof DemographicsView>;
