import type {
  SchedulingProvider,
  SchedulingProviderName,
  VisitPlace,
} from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Order } from '../orders/orders.ts';
import { getZipPlace } from '../patient-service-centers/patient-service-centers.ts';
import { askFor, refusable, SYNC_PATIENCE_MS, type Prepared } from './book.ts';
import * as intents from './intent.ts';
import { lockOrderOf, waitsForRequisition } from './rules.ts';

export interface RequestCommand {
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
  readonly repeatKey: string | undefined;
}

/** Asks a provider that sets its times by itself for a visit at home. Outside any transaction. */
export function prepareRequest(app: App, tenant: Tenant, command: RequestCommand): Promise<Prepared> {
  return refusable(async () => {
    const provider = app.schedulingProviders[tenant.environment][command.provider];
    const intent = await inTenant(app, tenant, (work) => openRequest(work, command, provider));
    return askFor(app, tenant, { intent, patienceMs: SYNC_PATIENCE_MS, isAsync: false });
  });
}

async function openRequest(
  work: Work,
  command: RequestCommand,
  provider: SchedulingProvider | undefined,
): Promise<intents.Intent> {
  const order = await lockOrderOf(work, command.orderId, 'phlebotomy');
  const requestKey = intents.requestKeyOf(command.repeatKey, 'request', JSON.stringify(command.address));
  const earlier = await intents.findEarlier(work, order, requestKey);
  if (earlier) return earlier;
  const untilRequisition = await waitsForRequisition(work, order);
  await intents.requireFree(work, order);
  if (!provider) {
    throw new DomainError(
      'unavailable',
      `The provider ${command.provider} is not connected in ${work.tenant.environment}`,
    );
  }
  const place = homeAt(command, order, provider);
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
    patienceMs: SYNC_PATIENCE_MS,
    asyncMs: null,
  });
  return { visit, now: work.now, isOpen: true };
}

/** Where the patient is to be visited: as the request says, in the order's state; 400 where nobody comes. */
function homeAt({ address }: RequestCommand, order: Order, provider: SchedulingProvider): VisitPlace {
  if (provider.kind !== 'request') {
    throw new DomainError(
      'bad_request',
      `The provider ${provider.name} does not take requests: ask for its availability and book a slot`,
    );
  }
  const known = order.private.address;
  if (address.state !== known?.state) {
    throw new DomainError(
      'bad_request',
      `The address is not in the state of the order, ${known?.state ?? ''}`,
    );
  }
  const { point, timeZone, zip } = getZipPlace(address.zip_code);
  if (!provider.serves(zip)) {
    throw new DomainError('bad_request', `The provider ${provider.name} does not come to ${zip}`);
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
