import {
  AccessRefused,
  GrantLost,
  ProviderAway,
  ProviderBusy,
  type Span,
} from '../../adapters/wearable-provider/port.ts';
import { CONNECTION_FAULTS } from '../connection.ts';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant } from '../../platform/work.ts';
import { findUser } from '../../users/users.ts';
import { failConnection } from '../connections/connect.ts';
import type { ConnectionFault } from '../connections/connection.ts';
import { openForAsking, type Asking } from '../connections/grants.ts';
import * as connections from '../connections/store.ts';
import { ConnectionGone, keepReadings, type Came } from './keep-readings.ts';

interface Asked {
  readonly connectionId: string;
  readonly resource: string;
  readonly span: Span;
  readonly told: boolean;
}

/** How a provider was asked. */
export type Outcome =
  | { readonly kind: 'done'; readonly came: Came }
  /** Nothing more is to be asked: the connection is gone, or failed just now. */
  | { readonly kind: 'over' }
  | {
      readonly kind: 'later';
      readonly fault: 'provider_rate_limit_exceeded' | 'provider_unavailable' | 'unexpected_error';
      /** How long the provider wants to be left alone; undefined where it does not say. */
      readonly afterSeconds: number | undefined;
    };

/** Asks a provider for one resource and time, and keeps what it tells. A grant that is lost fails the connection. */
export async function askAndKeep(app: App, tenant: Tenant, asked: Asked): Promise<Outcome> {
  const { connectionId: id } = asked;
  try {
    const asking = await openForAsking(app, tenant, { id });
    if (!asking) return { kind: 'over' };
    return await keep(app, tenant, { asked, asking }).catch(async (error: unknown) => {
      if (!(error instanceof AccessRefused)) throw error;
      const again = await openForAsking(app, tenant, { id, refused: asking.grant.accessToken });
      return again ? keep(app, tenant, { asked, asking: again }) : { kind: 'over' as const };
    });
  } catch (error) {
    return outcomeOf(app, tenant, { id, error });
  }
}

async function keep(
  app: App,
  tenant: Tenant,
  { asked, asking }: { asked: Asked; asking: Asking },
): Promise<Outcome> {
  const { resource, span, told, connectionId } = asked;
  const readings = asking.body.pull(asking.grant, { resource, span });
  const { user_id: userId } = asking.connection;
  return { kind: 'done', came: await keepReadings(app, tenant, { connectionId, userId, readings, told }) };
}

async function outcomeOf(
  app: App,
  tenant: Tenant,
  { id, error }: { id: string; error: unknown },
): Promise<Outcome> {
  if (error instanceof ConnectionGone) return { kind: 'over' };
  if (error instanceof GrantLost) {
    await fail(app, tenant, { id, fault: faultOf(error), message: error.message });
    return { kind: 'over' };
  }
  if (error instanceof ProviderBusy) {
    return { kind: 'later', fault: 'provider_rate_limit_exceeded', afterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof ProviderAway) {
    return { kind: 'later', fault: 'provider_unavailable', afterSeconds: undefined };
  }
  app.log.warn({ connection_id: id, err: error }, 'a provider could not be read; it is asked again');
  return { kind: 'later', fault: 'unexpected_error', afterSeconds: undefined };
}

export const faultOf = ({ fault }: GrantLost): ConnectionFault =>
  CONNECTION_FAULTS.find((each) => each === fault) ?? 'unknown';

/** Marks a connection as failed, and says so. */
export const fail = (
  app: App,
  tenant: Tenant,
  { id, fault, message }: { id: string; fault: ConnectionFault; message: string },
): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const row = await connections.findById(work, id);
    const user = row && (await findUser(work, row.user_id));
    if (user) await failConnection(work, { id, user, fault, message });
  });
