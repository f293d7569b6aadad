import { inTenant } from '../app.ts';
import { resultFile } from '../documents/documents.ts';
import { markup, renderPage } from '../hosted/hosted.ts';
import { readTeamSettings } from '../identity/management/management.ts';
import { DomainError } from '../platform/errors.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import type { Work } from '../platform/work.ts';
import { getOrder, type Order } from '../ordering/orders/orders.ts';
import {
  hasOpenCriticalResults,
  hasUnconfirmedCriticalValues,
} from '../results/critical-results/critical-results.ts';
import { findReport, type StoredReport } from '../results/results/results.ts';
import { messagePage, type PatientVisit } from './page.ts';
import { resultsPage } from './results-page.ts';

/** What a patient may see now. */
type PatientResults =
  | { readonly is: 'off' | 'none' | 'held' }
  | {
      readonly is: 'shown';
      readonly order: Order;
      readonly report: StoredReport;
      readonly hasPdf: boolean;
    };

/**
 * The newest results of an order, if the patient may see them. While a critical value of the order waits for its
 * read-back, nothing of the report is shown: its notes and calculated values could tell it. The PDF also shows values
 * of earlier orders, so that it waits for those too.
 */
async function readPatientResults(
  work: Work,
  { orderId, userId }: PatientVisit['token'],
): Promise<PatientResults> {
  const { patient_results_enabled: isEnabled } = await readTeamSettings(work);
  if (!isEnabled) return { is: 'off' };
  const order = await getOrder(work, orderId);
  const report = await findReport(work, orderId);
  if (!report) return { is: 'none' };
  if (await hasUnconfirmedCriticalValues(work, order)) return { is: 'held' };
  return { is: 'shown', order, report, hasPdf: !(await hasOpenCriticalResults(work, userId)) };
}

/** The page with the results. The access log has an entry before the patient sees them. */
export async function showResults(visit: PatientVisit): Promise<BrowserResponse> {
  const { app, token, view } = visit;
  const found = await inTenant(app, token.tenant, async (work) => {
    const results = await readPatientResults(work, token);
    if (results.is === 'shown') visit.logDone(work, 'readResultsOnPatientPage');
    return results;
  });
  switch (found.is) {
    case 'off':
      return messagePage(view, { title: 'results.off.title', text: 'results.off.text', status: 403 });
    case 'none':
      return messagePage(view, { title: 'results.none.title', text: 'results.none.text' });
    case 'held':
      return heldPage(visit);
    case 'shown':
      return resultsPage(visit, found);
  }
}

const heldPage = ({ view }: PatientVisit): BrowserResponse =>
  renderPage({
    view,
    title: view.t('results.held.title'),
    body: markup`<p class="note">${view.t('results.held.text')}</p>
<p class="note warn">${view.t('results.held.urgent')}</p>`,
  });

/** The report as a PDF, the same as the API returns. */
export async function downloadReport(visit: PatientVisit): Promise<BrowserResponse> {
  const { app, token } = visit;
  const file = await inTenant(app, token.tenant, async (work) => {
    const results = await readPatientResults(work, token);
    if (results.is !== 'shown' || !results.hasPdf) throw new DomainError('not_found', 'Results not found');
    visit.logDone(work, 'downloadReportOnPatientPage');
    return resultFile(work, { app, orderId: token.orderId, version: undefined });
  });
  return {
    status: 200,
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="results.pdf"`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    text: Buffer.from(await file.render()),
  };
}
