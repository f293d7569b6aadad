import type { GrantLost } from '../../adapters/wearable-provider/port.ts';
import { emit } from '../../events/events.ts';
import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users.ts';
import { CONNECTION_FAULTS } from '../connection.ts';
import { connectionError } from '../events.ts';
import { unschedule } from '../pulls/schedule.ts';
import { connectionOf, sealConnection, type ConnectionFault } from './connection.ts';
import * as store from './store.ts';

/** Why a connection brings nothing more. */
export interface Failing {
  readonly id: string;
  readonly fault: ConnectionFault;
  readonly message: string;
  /** The access token of the grant that is lost: who has connected anew meanwhile has another, which may be well. */
  readonly accessToken?: string;
}

/** Nothing more comes of it until the user connects anew. Told once. */
export async function failConnection(
  work: Work,
  { id, fault, message, accessToken }: Failing,
): Promise<void> {
  const row = await store.lock(work, id);
  if (!row || row.status === 'error') return;
  const { grant } = connectionOf(work.cipher, row);
  if (accessToken !== undefined && grant?.accessToken !== accessToken) return;
  await store.change(work, id, {
    status: 'error',
    private: sealConnection(work.cipher, { grant, faultMessage: message }),
    fault,
    errored_at: work.now,
    renewing_until: null,
    updated_at: work.now,
  });
  await unschedule(work, [id], 'non_retriable_error');
  const user = await findUser(work, row.user_id);
  if (!user) return;
  await emit(work, connectionError, {
    subject: subjectOf(user),
    data: {
      user_id: user.id,
      provider: row.provider,
      error_type: fault,
      message: MESSAGES[fault],
      error_details: message,
    },
  });
}

export const faultOf = ({ fault }: GrantLost): ConnectionFault =>
  CONNECTION_FAULTS.find((each) => each === fault) ?? 'unknown';

// prettier-ignore
const MESSAGES: Readonly<Record<ConnectionFault, string>> = {
  token_refresh_failed:        'The provider gives no new token; the user has to connect again',
  webhook_registration_failed: 'The provider does not let us register for news',
  user_not_found:              'The provider does not know the user any more',
  deregistered_per_provider:   'The user took the grant back at the provider',
  required_scopes_not_granted: 'The user did not grant what the team requires',
  provider_credential_error:   'The provider does not accept the credentials of the application',
  provider_password_expired:   'The password of the user at the provider has expired',
  unknown:                     'The provider refuses us',
};
