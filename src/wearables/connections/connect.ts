import type { Grant, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { emit } from '../../events/events.ts';
import { teamSettings } from '../../management/management.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { scopeRequirements } from '../../provider-settings/provider-settings.ts';
import { subjectOf, type User } from '../../users/users.ts';
import { connectionCreated } from '../events.ts';
import { schedulePoll, scheduleHistory } from '../pulls/schedule.ts';
import { availabilityOf } from './availability.ts';
import { connectionOf, externalIndex, sealConnection, type Connection } from './connection.ts';
import { providerNamed } from '../providers.ts';
import * as store from './store.ts';
import type { ConnectionKind } from './table.ts';

/** Why somebody could not be connected, in the words of the contract. */
// prettier-ignore
export const LINK_ERRORS = [
  'invalid_token', 'token_expired', 'token_not_validated', 'token_consumed', 'provider_credential_error',
  'provider_password_expired', 'provider_api_error', 'unsupported_region', 'duplicate_connection',
  'required_scopes_not_granted', 'incorrect_mfa_code', 'user_cancelled',
] as const;
export type LinkErrorType = (typeof LINK_ERRORS)[number];

/** The user cannot be connected, or not in this way; told to the user's side and not to ours. */
export class LinkRefused extends Error {
  readonly errorType: LinkErrorType;
  constructor(errorType: LinkErrorType, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** What a connection is made of. */
export interface Connecting {
  readonly user: User;
  readonly provider: string;
  readonly kind: ConnectionKind;
  readonly grant: Grant | null;
  readonly resources: readonly string[];
  /** The body of the provider, where there is one. */
  readonly body?: WearableProvider | undefined;
  readonly expiresAt?: Date;
}

/**
 * Makes the connection of a user to a provider, or gives the one that is there its new grant: a user has one of a
 * provider at most. Told by an event, but not where it worked already.
 */
export async function connect(work: Work, connecting: Connecting): Promise<Connection> {
  const { user, provider, kind, grant } = connecting;
  if (!(await store.lockUser(work, user.id))) throw new LinkRefused('invalid_token', 'The user is gone');
  const others = await store.listOfUser(work, user.id);
  refuseMixture(kind, others);
  await refuseDuplicate(work, connecting);
  const before = others.find((other) => other.provider === provider);
  const columns = {
    kind,
    status: 'connected' as const,
    private: sealConnection(work.cipher, { grant, faultMessage: null }),
    external_index: indexOf(work, connecting),
    resources: [...connecting.resources],
    fault: null,
    errored_at: null,
    news_refused_at: null,
    renewing_until: null,
    expires_at: connecting.expiresAt ?? null,
    updated_at: work.now,
  };
  const fresh = { id: newId(), user_id: user.id, provider, pulled_to: null, removed_at: null };
  if (before) await store.change(work, before.id, columns);
  else await store.insert(work, [{ ...fresh, ...columns, created_at: work.now }]);
  const row = { ...(before ?? { ...fresh, created_at: work.now }), ...columns, ...work.tenant };
  const connection = connectionOf(work.cipher, {
    ...row,
    team_id: work.tenant.teamId,
    environment: work.tenant.environment,
  });
  if (before?.status !== 'connected') await tellCreated(work, { ...connecting, connection });
  return connection;
}

/** Its past first, and then what is new, in the rhythm of the provider. */
export async function beginPulling(
  work: Work,
  { connection, user, body }: { connection: Connection; user: User; body: WearableProvider },
): Promise<void> {
  await scheduleHistory(work, [{ connection, user }], { body });
  await schedulePoll(work, connection.id, body);
}

const indexOf = (work: Work, { provider, grant }: Connecting): Buffer | null =>
  grant?.externalUserId == null
    ? null
    : externalIndex(work.cipher, { provider, externalUserId: grant.externalUserId });

function refuseMixture(kind: ConnectionKind, others: readonly { kind: ConnectionKind }[]): void {
  const isOther = (other: { kind: ConnectionKind }) => (other.kind === 'demo') !== (kind === 'demo');
  if (!others.some(isOther)) return;
  const [has, wants] = kind === 'demo' ? ['real', 'demo'] : ['demo', 'real'];
  throw new LinkRefused(
    'duplicate_connection',
    `The user has ${has} connections and cannot have ${wants} ones`,
  );
}

/** Where the team wants it: one person at a provider is one user of the team. */
async function refuseDuplicate(work: Work, connecting: Connecting): Promise<void> {
  const index = indexOf(work, connecting);
  if (!index || !(await teamSettings(work)).reject_duplicate_connection) return;
  await store.lockExternal(work, index);
  const same = await store.listByExternal(work, { provider: connecting.provider, indexes: [index] });
  if (same.some(({ user_id }) => user_id !== connecting.user.id)) {
    throw new LinkRefused('duplicate_connection', 'Another user of the team is connected to this account');
  }
}

/** What the team needs a user to grant; nothing is required where a provider does not say what was granted. */
export async function requireScopes(work: Work, provider: string, grant: Grant): Promise<void> {
  const wanted = await scopeRequirements(work, provider);
  if (!wanted || grant.scopes.length === 0) return;
  const missing = wanted.mustGrant.filter((scope) => !grant.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new LinkRefused('required_scopes_not_granted', `These have to be granted: ${missing.join(', ')}`);
}

export async function tellCreated(
  work: Work,
  {
    user,
    provider,
    body,
    connection,
  }: Pick<Connecting, 'user' | 'provider' | 'body'> & { connection: Connection },
): Promise<void> {
  const named = providerNamed(provider);
  await emit(work, connectionCreated, {
    subject: subjectOf(user),
    data: {
      user_id: user.id,
      provider: named,
      source: named,
      external_user_id: connection.grant?.externalUserId ?? null,
      resource_availability: availabilityOf(connection, body),
    },
  });
}
