import type { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import type { FindLabOfAccount } from './lab-of-account.ts';
import { createLabTest, updateLabTest } from './save-lab-test.ts';
import { CreateLabTestRequest, OrderSetRequest, UpdateLabTestRequest } from './lab-test-commands.ts';
import { LabTestHistoryView, readLabTestHistory } from './lab-test-history.ts';
import { listOrderSetMarkers } from './order-set.ts';
import { LabTestParams, MarkerPage, MarkerPageQuery } from './queries.ts';
import { LabTestView } from './schema.ts';
import { viewLabTest, viewMarkerComplete } from './view.ts';

const tag = 'Lab tests';

/** Creates and updates a team's lab tests, and previews the markers of an order set. */
export function labTestCommandRoutes(http: Http, findLabOfAccount: FindLabOfAccount): void {
  create(http, findLabOfAccount);
  update(http);
  history(http);
  orderSet(http, findLabOfAccount);
}

function create(http: Http, findLabOfAccount: FindLabOfAccount): void {
  http.post('/v3/lab_tests', {
    schema: {
      operationId: 'createLabTest',
      summary: 'Create a lab test',
      description:
        'All markers must belong to one laboratory. It is active at once in a sandbox, and pending_approval in ' +
        'production until the operator approves it.',
      tag,
      body: CreateLabTestRequest,
      response: { 200: LabTestView },
    },
    handler: async ({ work, principal, body: command }) => {
      requireOnSiteCollection(principal, command.method);
      const { lab_account_id: accountId } = command;
      const accountLab = accountId ? await findLabOfAccount(work, accountId) : undefined;
      return viewLabTest(await createLabTest(work, { command, accountLab }));
    },
  });
}

function update(http: Http): void {
  http.patch('/v3/lab_tests/:lab_test_id', {
    schema: {
      operationId: 'changeLabTest',
      summary: 'Update a lab test',
      description:
        'Renames, activates or deactivates it. Omitted fields keep their values. Existing orders are not affected.',
      tag,
      params: LabTestParams,
      body: UpdateLabTestRequest,
      response: { 200: LabTestView },
    },
    handler: async ({ work, params, body }) =>
      viewLabTest(await updateLabTest(work, params.lab_test_id, body)),
  });
}

function history(http: Http): void {
  http.get('/v3/lab_tests/:lab_test_id/history', {
    schema: {
      operationId: 'getLabTestHistory',
      summary: 'Read the history of a lab test',
      description:
        'Extension. When it was made, renamed, retired and activated, and its versions. Markers and method of a lab ' +
        'test never change, because orders refer to it: a new version is a lab test of its own (`version_of`). ' +
        'Changes made before Aliquot recorded them are missing.',
      tag,
      params: LabTestParams,
      response: { 200: LabTestHistoryView },
    },
    handler: async ({ work, params }) => readLabTestHistory(work, params.lab_test_id),
  });
}

const OrderSetMarkersQuery = MarkerPageQuery.pick({ page: true, size: true });

function orderSet(http: Http, findLabOfAccount: FindLabOfAccount): void {
  http.post('/v3/lab_tests/list_order_set_markers', {
    schema: {
      operationId: 'listOrderSetMarkers',
      summary: 'List the markers of an order set',
      description: 'Without duplicates, with their order-entry questions. Creates no lab test.',
      tag,
      query: OrderSetMarkersQuery,
      body: OrderSetRequest,
      response: { 200: MarkerPage },
    },
    handler: async ({ work, body, query }) => {
      const { lab_account_id: accountId } = body;
      const markers = await listOrderSetMarkers(work, {
        labTestIds: body.lab_test_ids,
        addOn: body.add_on && { markerIds: body.add_on.marker_ids, providerIds: body.add_on.provider_ids },
        labSlug: accountId ? await findLabOfAccount(work, accountId) : undefined,
      });
      return toMarkerPage(markers, query);
    },
  });
}

type OrderSetMarkers = Awaited<ReturnType<typeof listOrderSetMarkers>>;

function toMarkerPage(markers: OrderSetMarkers, { page, size }: z.output<typeof OrderSetMarkersQuery>) {
  const shown = markers.slice((page - 1) * size, page * size).map(viewMarkerComplete);
  const total = markers.length;
  return { markers: shown, total, page, size, pages: Math.ceil(total / size) };
}

/** On-site collection is in closed beta. */
function requireOnSiteCollection({ features }: TeamPrincipal, method: CreateLabTestRequest['method']): void {
  if (method !== 'on_site_collection' || features.has('on_site_collection')) return;
  throw new DomainError('forbidden', 'The feature on_site_collection is not enabled for this team');
}
