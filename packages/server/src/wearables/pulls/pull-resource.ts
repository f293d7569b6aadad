import { performance } from 'node:perf_hooks';
import {
  AccessTokenRejectedError,
  GrantLostError,
  ProviderUnavailableError,
  ProviderRateLimitedError,
  ProviderUnreachableError,
  type ProviderTimeSpan,
} from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { later, SECOND } from '../../platform/clock.ts';
import { openDurations } from '../../platform/telemetry/telemetry.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant } from '../../platform/work.ts';
import { failConnection, toConnectionErrorType } from '../connections/fail.ts';
import {
  ApplicationCredentialError,
  authorizeConnection,
  type AuthorizedConnection,
} from '../connections/grants.ts';
import { listDetailedWorkouts, listStreamedWorkouts } from '../records/records.ts';
import { ConnectionGone, ingestReadings, type DaysByResource } from './ingest-readings.ts';
import { OVERLAP_MS } from '../connections/pull-windows.ts';

interface ProviderPullRequest {
  readonly connectionId: string;
  readonly resource: string;
  readonly span: ProviderTimeSpan;
  readonly emitEvents: boolean;
}

/** The outcome of a pull. */
export type PullOutcome =
  | { readonly kind: 'done'; readonly came: DaysByResource }
  /** The connection is gone or has just failed: no more pulls. */
  | { readonly kind: 'over' }
  /** The user did not grant this resource; others can be pulled. */
  | { readonly kind: 'denied' }
  | {
      readonly kind: 'later';
      readonly fault: 'provider_rate_limit_exceeded' | 'provider_unavailable' | 'unexpected_error';
      /** The provider's Retry-After; undefined if it does not state one. */
      readonly afterSeconds: number | undefined;
      /** The request timed out, so other requests probably will too. */
      readonly silent?: boolean;
      /** What came before is stored: the same pull need not begin before this time. */
      readonly resumeFrom?: Date;
    };

const recordPull = openDurations(
  'aliquot.provider.pull.duration',
  'Duration of pulls from wearable providers by provider and result',
);

/** Pulls one resource and ingests it, and measures that. */
export async function pullResource(
  app: App,
  tenant: Tenant,
  asked: ProviderPullRequest,
): Promise<PullOutcome> {
  const begun = performance.now();
  const progress: PullProgress = { streamedTo: undefined, provider: undefined };
  const outcome = await tryToPull(app, tenant, { asked, progress });
  const { provider } = progress;
  // Without a provider the connection was gone, and nothing was pulled.
  if (provider !== undefined) {
    const labels = { 'aliquot.provider': provider, 'aliquot.result': resultOf(outcome) };
    recordPull(app.telemetry, performance.now() - begun, labels);
  }
  return outcome;
}

const resultOf = (outcome: PullOutcome): string => (outcome.kind === 'later' ? outcome.fault : outcome.kind);

/** Retries once with a renewed token. A lost grant fails the connection. */
async function tryToPull(
  app: App,
  tenant: Tenant,
  { asked, progress }: { asked: ProviderPullRequest; progress: PullProgress },
): Promise<PullOutcome> {
  const { connectionId: id } = asked;
  let accessToken: string | undefined;
  const askOnce = async (refused?: string): Promise<PullOutcome> => {
    const asking = await authorizeConnection(app, tenant, { id, ...(refused !== undefined && { refused }) });
    accessToken = asking?.grant.accessToken;
    progress.provider ??= asking?.connection.provider;
    return asking ? pullAndIngest(app, tenant, { asked, asking, progress }) : { kind: 'over' };
  };
  try {
    return await askOnce().catch((error: unknown) => {
      if (!(error instanceof AccessTokenRejectedError)) throw error;
      return askOnce(accessToken);
    });
  } catch (error) {
    const outcome = await toPullOutcome(app, tenant, { asked, error, accessToken });
    const { streamedTo: resumeFrom } = progress;
    return outcome.kind === 'later' && resumeFrom ? { ...outcome, resumeFrom } : outcome;
  }
}

interface PullProgress {
  /** The start of the last stored workout of a pull of streams, which come in the order of their workouts. */
  streamedTo: Date | undefined;
  /** The slug, once the connection was found. */
  provider: string | undefined;
}

async function pullAndIngest(
  app: App,
  tenant: Tenant,
  {
    asked,
    asking,
    progress,
  }: { asked: ProviderPullRequest; asking: AuthorizedConnection; progress: PullProgress },
): Promise<PullOutcome> {
  const { resource, span, emitEvents, connectionId } = asked;
  const { user_id: userId } = asking.connection;
  const known = await listKnown(app, tenant, { asked, asking });
  const readings = asking.body.pull(asking.grant, { resource, span, known });
  const continues = asking.body.replacesEarlierApi;
  const came = await ingestReadings(app, tenant, {
    connectionId,
    userId,
    readings,
    emitEvents,
    continues,
    ...(resource === 'workout_stream' && {
      onStored: (some) => {
        const last = some.findLast((reading) => reading.kind === 'summary');
        if (last) progress.streamedTo = new Date(last.at);
      },
    }),
  });
  return { kind: 'done', came };
}

const NONE: ReadonlySet<string> = new Set();

/** The workouts of which the pull needs no further request. A historical pull reads all streams again. */
async function listKnown(
  app: App,
  tenant: Tenant,
  {
    asked: { resource, span, emitEvents },
    asking,
  }: { asked: ProviderPullRequest; asking: AuthorizedConnection },
): Promise<ReadonlySet<string>> {
  if (resource === 'workouts') return listKnownDetails(app, tenant, { span, asking });
  return emitEvents && resource === 'workout_stream' ? listKnownStreams(app, tenant, { span, asking }) : NONE;
}

/** Providers read whole seconds, so the interval is a second longer on either side. */
const listKnownDetails = (
  app: App,
  tenant: Tenant,
  { span, asking: { connection } }: { span: ProviderTimeSpan; asking: AuthorizedConnection },
): Promise<ReadonlySet<string>> =>
  readTenant(app, tenant, (work) =>
    listDetailedWorkouts(work, {
      userId: connection.user_id,
      provider: connection.provider,
      from: later(span.from, -SECOND),
      to: later(span.to, SECOND),
    }),
  );

/** Each stream takes a request of its own, so skip known ones. Recent workouts are pulled again: they may change. */
const listKnownStreams = (
  app: App,
  tenant: Tenant,
  { span, asking: { connection } }: { span: ProviderTimeSpan; asking: AuthorizedConnection },
): Promise<ReadonlySet<string>> =>
  readTenant(app, tenant, (work) =>
    listStreamedWorkouts(work, {
      userId: connection.user_id,
      provider: connection.provider,
      from: span.from,
      to: later(span.to, -OVERLAP_MS),
    }),
  );

async function toPullOutcome(
  app: App,
  tenant: Tenant,
  {
    asked,
    error,
    accessToken,
  }: { asked: ProviderPullRequest; error: unknown; accessToken: string | undefined },
): Promise<PullOutcome> {
  const { connectionId: id, resource } = asked;
  if (error instanceof ConnectionGone) return { kind: 'over' };
  if (error instanceof GrantLostError && error.fault === 'required_scopes_not_granted') {
    app.log.info({ connection_id: id, resource, err: error.message }, 'a user did not grant a resource');
    return { kind: 'denied' };
  }
  if (error instanceof GrantLostError) {
    const lost = { id, fault: toConnectionErrorType(error), message: error.message };
    const failing = { ...lost, ...(accessToken !== undefined && { accessToken }) };
    await inTenant(app, tenant, (work) => failConnection(work, failing));
    return { kind: 'over' };
  }
  if (error instanceof ApplicationCredentialError) {
    app.log.warn(
      { connection_id: id, err: error.message },
      'a provider rejected the application credentials',
    );
    return { kind: 'later', fault: 'provider_unavailable', afterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof ProviderRateLimitedError) {
    return { kind: 'later', fault: 'provider_rate_limit_exceeded', afterSeconds: error.retryAfterSeconds };
  }
  if (error instanceof ProviderUnavailableError) {
    const silent = error instanceof ProviderUnreachableError;
    return { kind: 'later', fault: 'provider_unavailable', afterSeconds: undefined, silent };
  }
  app.log.warn({ connection_id: id, err: error }, 'pulling from a provider failed, retrying later');
  return { kind: 'later', fault: 'unexpected_error', afterSeconds: undefined };
}
