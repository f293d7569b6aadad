import type { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import type { Work } from '../../platform/work.ts';
import { getLabAccount } from '../lab-accounts/lab-accounts.ts';
import { createLabTest, updateLabTest } from './keep-lab-test.ts';
import { CreateLabTest, OrderSetRequest, UpdateLabTest } from './lab-test-commands.ts';
import { listOrderSetMarkers } from './order-set.ts';
import { LabTestParams, MarkerPage, MarkerPageQuery } from './queries.ts';
import { LabTestView } from './schema.ts';
import { viewLabTest, viewMarkerComplete } from './view.ts';

const tag = 'Lab tests';

/** What a team does with lab tests of its own, and what an order set of them would hold. */
export function labTestCommandRoutes(http: Http): void {
  create(http);
  update(http);
  orderSet(http);
}

function create(http: Http): void {
  http.post('/v3/lab_tests', {
    schema: {
      operationId: 'createLabTest',
      summary: 'Make a lab test of markers of one laboratory',
      description:
        'Active at once in a sandbox; in production pending_approval until the operator approves it.',
      tag,
      body: CreateLabTest,
      response: { 200: LabTestView },
    },
    handler: async ({ work, principal, body: command }) => {
      requireCollection(principal, command.method);
      const accountLab = await labOf(work, command.lab_account_id);
      return viewLabTest(await createLabTest(work, { command, accountLab }));
    },
  });
}

function update(http: Http): void {
  http.patch('/v3/lab_tests/:lab_test_id', {
    schema: {
      operationId: 'changeLabTest',
      summary: 'Rename a lab test, take it out of use or back',
      description: 'What is not given stays. Orders that were placed with it keep it as it was.',
      tag,
      params: LabTestParams,
      body: UpdateLabTest,
      response: { 200: LabTestView },
    },
    handler: async ({ work, params, body }) =>
      viewLabTest(await updateLabTest(work, params.lab_test_id, body)),
  });
}

const Page = MarkerPageQuery.pick({ page: true, size: true });

function orderSet(http: Http): void {
  http.post('/v3/lab_tests/list_order_set_markers', {
    schema: {
      operationId: 'listOrderSetMarkers',
      summary: 'List the markers of an order set, each once, with their questions',
      tag,
      query: Page,
      body: OrderSetRequest,
      response: { 200: MarkerPage },
    },
    handler: async ({ work, body, query }) => {
      const markers = await listOrderSetMarkers(work, {
        labTestIds: body.lab_test_ids,
        addOn: body.add_on && { markerIds: body.add_on.marker_ids, providerIds: body.add_on.provider_ids },
        labSlug: await labOf(work, body.lab_account_id),
      });
      return pageOf(markers, query);
    },
  });
}

type Markers = Awaited<ReturnType<typeof listOrderSetMarkers>>;

function pageOf(markers: Markers, { page, size }: z.output<typeof Page>) {
  const shown = markers.slice((page - 1) * size, page * size).map(viewMarkerComplete);
  const total = markers.length;
  return { markers: shown, total, page, size, pages: Math.ceil(total / size) };
}

const labOf = async (work: Work, accountId: string | null | undefined): Promise<string | undefined> =>
  accountId ? (await getLabAccount(work, accountId)).labSlug : undefined;

/** Collection at the customer's own place is a closed-beta area. */
function requireCollection({ features }: TeamPrincipal, method: CreateLabTest['method']): void {
  if (method !== 'on_site_collection' || features.has('on_site_collection')) return;
  throw new DomainError('forbidden', 'The feature on_site_collection is not enabled for this team');
}
