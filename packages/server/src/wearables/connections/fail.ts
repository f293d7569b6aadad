import type { GrantLostError } from '../../adapters/wearable-provider/port.ts';
import { emit } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users/users.ts';
import { CONNECTION_ERROR_TYPES } from '../connection.ts';
import { connectionError } from '../events.ts';
import { cancelPulls } from './pull-schedule.ts';
import { openConnection, sealConnectionSecrets, type ConnectionErrorType } from './connection.ts';
import * as store from './store.ts';

/** Why a connection failed. */
interface ConnectionFailure {
  readonly id: string;
  readonly fault: ConnectionErrorType;
  readonly message: string;
  /** The access token of the lost grant. A user who connected again meanwhile has another one, which may be valid. */
  readonly accessToken?: string;
}

/** Marks a connection as failed and stops its pulls until the user connects again. Emits one event. */
export async function failConnection(
  work: Work,
  { id, fault, message, accessToken }: ConnectionFailure,
): Promise<void> {
  const row = await store.lock(work, id);
  if (!row || row.status === 'error') return;
  const { grant } = openConnection(work.cipher, row);
  if (accessToken !== undefined && grant?.accessToken !== accessToken) return;
  await store.update(work, id, {
    status: 'error',
    private: sealConnectionSecrets(work.cipher, { grant, faultMessage: message }),
    fault,
    errored_at: work.now,
    renewing_until: null,
    updated_at: work.now,
  });
  await cancelPulls(work, [id], 'non_retriable_error');
  const user = await findUser(work, row.user_id);
  if (!user) return;
  await emit(work, connectionError, {
    subject: subjectOf(user),
    data: {
      user_id: user.id,
      provider: row.provider,
      error_type: fault,
      message: ERROR_MESSAGES[fault],
      error_details: message,
    },
  });
}

export const toConnectionErrorType = ({ fault }: GrantLostError): ConnectionErrorType =>
  CONNECTION_ERROR_TYPES.find((each) => each === fault) ?? 'unknown';

// prettier-ignore
const ERROR_MESSAGES: Readonly<Record<ConnectionErrorType, string>> = {
  token_refresh_failed:        'The provider did not renew the token; the user has to connect again',
  webhook_registration_failed: 'The provider rejected the webhook registration',
  user_not_found:              'The provider no longer knows the user',
  deregistered_per_provider:   'The user revoked access at the provider',
  required_scopes_not_granted: 'The user did not grant the required scopes',
  provider_credential_error:   'The provider rejected the credentials of the application',
  provider_password_expired:   'The password of the user at the provider has expired',
  unknown:                     'The provider rejected the request',
};
