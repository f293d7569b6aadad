import {
  AccessRefused,
  GrantLost,
  ProviderAway,
  ProviderBusy,
  ProviderSilent,
  type Span,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant } from '../../platform/work.ts';
import { failConnection, faultOf } from '../connections/fail.ts';
import { ApplicationRefused, openForAsking, type Asking } from '../connections/grants.ts';
import { streamedWorkouts } from '../records/records.ts';
import { ConnectionGone, keepReadings, type Came } from './keep-readings.ts';
import { OVERLAP_MS } from './since.ts';

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
  /** The user did not grant this; the rest can be had. */
  | { readonly kind: 'denied' }
  | {
      readonly kind: 'later';
      readonly fault: 'provider_rate_limit_exceeded' | 'provider_unavailable' | 'unexpected_error';
      /** How long the provider wants to be left alone; undefined where it does not say. */
      readonly afterSeconds: number | undefined;
      /** It did not answer at all: whatever else it is asked is waited for as long. */
      readonly silent?: boolean;
    };

/** Asks a provider for one resource and time, and keeps what it tells. A grant that is lost fails the connection. */
export async function askAndKeep(app: App, tenant: Tenant, asked: Asked): Promise<Outcome> {
  const { connectionId: id } = asked;
  let accessToken: string | undefined;
  const askOnce = async (refused?: string): Promise<Outcome> => {
    const asking = await openForAsking(app, tenant, { id, ...(refused !== undefined && { refused }) });
    accessToken = asking?.grant.accessToken;
    return asking ? keep(app, tenant, { asked, asking }) : { kind: 'over' };
  };
  try {
    return await askOnce().catch((error: unknown) => {
      if (!(error instanceof AccessRefused)) throw error;
      return askOnce(accessToken);
    });
  } catch (error) {
    return outcomeOf(app, tenant, { asked, error, accessToken });
  }
}

async function keep(
  app: App,
  tenant: Tenant,
  { asked, asking }: { asked: Asked; asking: Asking },
): Promise<Outcome> {
  const { resource, span, told, connectionId } = asked;
  const { user_id: userId } = asking.connection;
  const known =
    told && resource === 'workout_stream' ? await knownStreams(app, tenant, { span, asking }) : NONE;
  const readings = asking.body.pull(asking.grant, { resource, span, known });
  return { kind: 'done', came: await keepReadings(app, tenant, { connectionId, userId, readings, told }) };
}

const NONE: ReadonlySet<string> = new Set();

/** Each stream takes a question of its own. Young workouts are asked about again: they may still be worked on there. */
const knownStreams = (
  app: App,
  tenant: Tenant,
  { span, asking: { connection } }: { span: Span; asking: Asking },
): Promise<ReadonlySet<string>> =>
  readTenant(app, tenant, (work) =>
    streamedWorkouts(work, {
      userId: connection.user_id,
      provider: connection.provider,
      from: span.from,
      to: later(span.to, -OVERLAP_MS),
    }),
  );

async function outcomeOf(
  app: App,
  tenant: Tenant,
  { asked, error, accessToken }: { asked: Asked; error: unknown; accessToken: string | undefined },
): Promise<Outcome> {
  const { connectionId: id, resource } = asked;
  if (error instanceof ConnectionGone) return { kind: 'over' };
  if (error instanceof GrantLost && error.fault === 'required_scopes_not_granted') {
    app.log.info({ connection_id: id, resource, err: error.message }, 'a user did not grant a resource');
    return { kind: 'denied' };
  }
  if (error instanceof GrantLost) {
    const lost = { id, fault: faultOf(error), message: error.message };
    const failing = { ...lost, ...(accessToken !== undefined && { accessToken }) };
    await inTenant(app, tenant, (work) => failConnection(work, failing));
    return { kind: 'over' };
  }
  if (error instanceof ApplicationRefused) {
    app.log.warn({ connection_id: id, err: error.message }, 'the application at a provider is refused');
    return { kind: 'later', fault: 'provider_unavailable', afterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof ProviderBusy) {
    return { kind: 'later', fault: 'provider_rate_limit_exceeded', afterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof ProviderAway) {
    const silent = error instanceof ProviderSilent;
    return { kind: 'later', fault: 'provider_unavailable', afterSeconds: undefined, silent };
  }
  app.log.warn({ connection_id: id, err: error }, 'a provider could not be read; it is asked again');
  return { kind: 'later', fault: 'unexpected_error', afterSeconds: undefined };
}
