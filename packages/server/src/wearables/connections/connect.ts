import type { Grant, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { emit } from '../../events/events.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { findScopeRequirements } from '../../provider-settings/provider-settings.ts';
import { subjectOf, type User } from '../../users/users/users.ts';
import { connectionCreated } from '../events.ts';
import { schedulePoll, scheduleHistory } from './pull-schedule.ts';
import { describeAvailability } from './availability.ts';
import {
  openConnection,
  indexExternalUser,
  sealConnectionSecrets,
  type ProviderConnection,
} from './connection.ts';
import { describeProvider } from '../../readings/readings.ts';
import * as store from './store.ts';
import type { ConnectionKind } from './table.ts';

/** Why a user could not be connected: the error types of the contract. */
// prettier-ignore
export const LINK_ERRORS = [
  'invalid_token', 'token_expired', 'token_not_validated', 'token_consumed', 'provider_credential_error',
  'provider_password_expired', 'provider_api_error', 'unsupported_region', 'duplicate_connection',
  'required_scopes_not_granted', 'incorrect_mfa_code', 'user_cancelled',
] as const;
type LinkErrorType = (typeof LINK_ERRORS)[number];

/** The user cannot be connected. Reported to the user; it is not an error of the service. */
export class LinkError extends Error {
  readonly errorType: LinkErrorType;
  constructor(errorType: LinkErrorType, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

/** What is needed to create a connection. */
interface ConnectionRequest {
  readonly user: User;
  readonly provider: string;
  readonly kind: ConnectionKind;
  readonly grant: Grant | null;
  readonly resources: readonly string[];
  /** The implementation of the provider, if there is one. */
  readonly body?: WearableProvider | undefined;
  readonly expiresAt?: Date;
}

/**
 * Connects a user to a provider, or updates the grant of the existing connection: a user has at most one connection per
 * provider. Emits an event unless the connection was already connected.
 */
export async function connect(work: Work, connecting: ConnectionRequest): Promise<ProviderConnection> {
  const { user, provider, kind, grant } = connecting;
  if (!(await store.lockUser(work, user.id)))
    throw new LinkError('invalid_token', 'The user no longer exists');
  const others = await store.listOfUser(work, user.id);
  assertNoDemoMix(kind, others);
  await assertNotDuplicate(work, connecting);
  const before = others.find((other) => other.provider === provider);
  const columns = {
    kind,
    status: 'connected' as const,
    private: sealConnectionSecrets(work.cipher, { grant, faultMessage: null }),
    demo_seed: null,
    external_index: toExternalIndex(work, connecting),
    resources: [...connecting.resources],
    fault: null,
    errored_at: null,
    news_refused_at: null,
    renewing_until: null,
    expires_at: connecting.expiresAt ?? null,
    updated_at: work.now,
  };
  const fresh = { id: newId(), user_id: user.id, provider, pulled_to: null, removed_at: null };
  if (before) await store.update(work, before.id, columns);
  else await store.insert(work, [{ ...fresh, ...columns, created_at: work.now }]);
  const row = { ...(before ?? { ...fresh, created_at: work.now }), ...columns, ...work.tenant };
  const connection = openConnection(work.cipher, {
    ...row,
    team_id: work.tenant.teamId,
    environment: work.tenant.environment,
  });
  if (before?.status !== 'connected') await emitConnectionCreated(work, { ...connecting, connection });
  return connection;
}

/** Schedules the pull of its history, then polling at the provider's interval. */
export async function beginPulling(
  work: Work,
  { connection, user, body }: { connection: ProviderConnection; user: User; body: WearableProvider },
): Promise<void> {
  await scheduleHistory(work, [{ connection, user }], { body });
  await schedulePoll(work, connection.id, body);
}

const toExternalIndex = (work: Work, { provider, grant }: ConnectionRequest): Buffer | null =>
  grant?.externalUserId == null
    ? null
    : indexExternalUser(work.cipher, { provider, externalUserId: grant.externalUserId });

function assertNoDemoMix(kind: ConnectionKind, others: readonly { kind: ConnectionKind }[]): void {
  const isOther = (other: { kind: ConnectionKind }) => (other.kind === 'demo') !== (kind === 'demo');
  if (!others.some(isOther)) return;
  const [has, wants] = kind === 'demo' ? ['real', 'demo'] : ['demo', 'real'];
  throw new LinkError(
    'duplicate_connection',
    `The user has ${has} connections and cannot have ${wants} connections`,
  );
}

/** If the team rejects duplicates, an account at a provider belongs to at most one of its users. */
async function assertNotDuplicate(work: Work, connecting: ConnectionRequest): Promise<void> {
  const index = toExternalIndex(work, connecting);
  if (!index || !(await readTeamSettings(work)).reject_duplicate_connection) return;
  await store.lockExternal(work, index);
  const same = await store.listByExternal(work, { provider: connecting.provider, indexes: [index] });
  if (same.some(({ user_id }) => user_id !== connecting.user.id)) {
    throw new LinkError('duplicate_connection', 'Another user of the team is connected to this account');
  }
}

/** Asserts the scopes that the team requires. Passes if the provider does not report the granted scopes. */
export async function assertRequiredScopes(work: Work, provider: string, grant: Grant): Promise<void> {
  const wanted = await findScopeRequirements(work, provider);
  if (!wanted || grant.scopes.length === 0) return;
  const missing = wanted.mustGrant.filter((scope) => !grant.scopes.includes(scope));
  if (missing.length === 0) return;
  throw new LinkError(
    'required_scopes_not_granted',
    `Required scopes were not granted: ${missing.join(', ')}`,
  );
}

export async function emitConnectionCreated(
  work: Work,
  {
    user,
    provider,
    body,
    connection,
  }: Pick<ConnectionRequest, 'user' | 'provider' | 'body'> & { connection: ProviderConnection },
): Promise<void> {
  const named = describeProvider(provider);
  await emit(work, connectionCreated, {
    subject: subjectOf(user),
    data: {
      user_id: user.id,
      provider: named,
      source: named,
      external_user_id: connection.grant?.externalUserId ?? null,
      resource_availability: describeAvailability(connection, body),
    },
  });
}
