import type {
  SchedulingProvider,
  SchedulingProviderName,
  VisitLocation,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import { getZipLocation } from '../patient-service-centers/patient-service-centers.ts';
import { sendIntent, captureRefusal, SYNC_TIMEOUT_MS, type PreparedBooking } from './book.ts';
import * as intents from './intent.ts';
import { lockOrderForVisit, waitsForRequisition } from './rules.ts';

interface VisitRequestCommand {
  readonly orderId: string;
  readonly provider: SchedulingProviderName;
  readonly address: {
    readonly first_line: string;
    readonly second_line?: string | null | undefined;
    readonly city: string;
    readonly state: string;
    readonly zip_code: string;
    readonly access_notes?: string | null | undefined;
  };
  readonly notes: string | null;
  readonly idempotencyKey: string | undefined;
}

/** Requests a visit at home from a provider that sets the time itself. Call outside any transaction. */
export function prepareRequest(
  app: App,
  tenant: Tenant,
  command: VisitRequestCommand,
): Promise<PreparedBooking> {
  return captureRefusal(async () => {
    const provider = app.schedulingProviders[tenant.environment][command.provider];
    const intent = await inTenant(app, tenant, (work) => createRequestIntent(work, command, provider));
    return sendIntent(app, tenant, { intent, timeoutMs: SYNC_TIMEOUT_MS, isAsync: false });
  });
}

async function createRequestIntent(
  work: Work,
  command: VisitRequestCommand,
  provider: SchedulingProvider | undefined,
): Promise<intents.BookingIntent> {
  const order = await lockOrderForVisit(work, command.orderId, 'phlebotomy');
  const requestKey = intents.digestRequest(
    command.idempotencyKey,
    'request',
    JSON.stringify(command.address),
  );
  const earlier = await intents.findEarlierIntent(work, order, requestKey);
  if (earlier) return earlier;
  const untilRequisition = await waitsForRequisition(work, order);
  await intents.requireNoActiveAppointment(work, order);
  if (!provider) {
    throw new DomainError(
      'unavailable',
      `The provider ${command.provider} is not connected in ${work.tenant.environment}`,
    );
  }
  const place = toRequestedLocation(command, order, provider);
  const visit = await intents.insertIntent(work, {
    order,
    type: 'phlebotomy',
    provider: provider.name,
    kind: 'request',
    place,
    slot: null,
    notes: command.notes,
    untilRequisition,
    requestKey,
    timeoutMs: SYNC_TIMEOUT_MS,
    asyncMs: null,
  });
  return { visit, now: work.now, isOpen: true };
}

/** The requested location. 400 if it is not in the order's state, or the provider does not serve it. */
function toRequestedLocation(
  { address }: VisitRequestCommand,
  order: Order,
  provider: SchedulingProvider,
): VisitLocation {
  if (provider.kind !== 'request') {
    throw new DomainError(
      'bad_request',
      `The provider ${provider.name} does not take requests: get its availability and book a slot`,
    );
  }
  const known = order.private.address;
  if (address.state !== known?.state) {
    throw new DomainError(
      'bad_request',
      `The address must be in the state of the order: ${known?.state ?? 'unknown'}`,
    );
  }
  const { point, timeZone, zip } = getZipLocation(address.zip_code);
  if (!provider.serves(zip)) {
    throw new DomainError('bad_request', `The provider ${provider.name} does not serve ${zip}`);
  }
  return {
    code: zip,
    name: 'Home',
    address: {
      firstLine: address.first_line,
      secondLine: address.second_line ?? null,
      city: address.city,
      state: address.state,
      zip: address.zip_code,
      accessNotes: address.access_notes ?? known.access_notes ?? null,
    },
    point,
    timeZone,
    hours: null,
  };
}
