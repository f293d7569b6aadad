import { formatDate, markup, pagePath, renderPage, type Markup, type PageView } from '../hosted/hosted.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import type { Order } from '../ordering/orders/orders.ts';
import type { StoredReport } from '../results/results/results.ts';
import { viewResult } from '../results/results/schema.ts';
import { locateZip } from '../scheduling/patient-service-centers/patient-service-centers.ts';
import type { PatientVisit } from './page.ts';
import { rangeBar } from './range-bar.ts';

interface ShownResults {
  readonly order: Order;
  readonly report: StoredReport;
  readonly hasPdf: boolean;
}

type ResultsView = ReturnType<typeof viewResult>;
type ResultView = ResultsView['results'][number];
type MissingView = NonNullable<ResultsView['missing_results']>[number];

export function resultsPage(visit: PatientVisit, { order, report, hasPdf }: ShownResults): BrowserResponse {
  const { view, app, word } = visit;
  const { t } = view;
  const { results, missing_results: missing, metadata } = viewResult(order, report);
  const pdf = pagePath(app.config, '/results/report', { token: word, lang: view.language });
  return renderPage({
    view,
    title: t('results.title'),
    body: markup`${reportNote(view, report)}
${reportFacts(view, order, metadata)}
${results.map((result, at) => resultItem(view, result, report.results[at]?.status))}
${missing && missing.length > 0 ? missingList(view, missing, report) : undefined}
${(report.notes ?? []).map((note) => laboratoryNote(view, note))}
<p class="note">${t('results.advice')}</p>
${hasPdf ? markup`<a class="button" href="${pdf}">${t('results.pdf')}</a>` : undefined}`,
  });
}

function reportNote({ t }: PageView, { status }: StoredReport): Markup | undefined {
  if (status === 'partial') return markup`<p class="note warn">${t('results.partial')}</p>`;
  return status === 'corrected' ? markup`<p class="note warn">${t('results.corrected')}</p>` : undefined;
}

/** Where the patient lives, since laboratories report no zone. */
const timeZoneOf = ({ private: { address } }: Order): string =>
  (address ? locateZip(address.zip)?.timeZone : undefined) ?? 'America/New_York';

function reportFacts(view: PageView, order: Order, metadata: ResultsView['metadata']): Markup {
  const { t, language } = view;
  const day = (at: string) => formatDate(language, 'shortDate', [new Date(at), timeZoneOf(order)]);
  return markup`<dl>
${metadata.laboratory === null ? undefined : markup`<dt>${t('results.laboratory')}</dt><dd>${metadata.laboratory}</dd>`}
${metadata.date_collected === null ? undefined : markup`<dt>${t('results.collected')}</dt><dd>${day(metadata.date_collected)}</dd>`}
<dt>${t('results.reported')}</dt><dd>${day(metadata.date_reported)}</dd>
</dl>`;
}

function resultItem(view: PageView, result: ResultView, status: string | undefined): Markup {
  const { t } = view;
  const { key, tone } = flagOf(result);
  const changed =
    status === 'preliminary'
      ? t('results.preliminary')
      : status === 'corrected'
        ? t('results.changed')
        : undefined;
  const range = result.reference_range;
  return markup`<section class="result">
<div class="head"><h3 lang="en">${result.name}</h3><span class="tag ${tone}">${t(key)}</span></div>
<p class="value"><span lang="en">${result.result}</span> <small>${result.unit ?? ''}</small></p>
${rangeBar(view, result)}
<p><small>${range ? t('results.range', { range }) : t('results.range.none')}</small></p>
${changed === undefined ? undefined : markup`<p><span class="tag warn">${changed}</span></p>`}
${result.microbiology?.organism ? markup`<p>${t('results.organism', { organism: result.microbiology.organism })}</p>` : undefined}
${result.notes ? laboratoryNote(view, result.notes) : undefined}
</section>
`;
}

/** The flag in plain words. The place of the value against the range comes first: it is a fact, not an opinion. */
function flagOf(result: ResultView) {
  if (result.interpretation === 'critical') return { key: 'results.flag.critical', tone: 'warn' } as const;
  if (result.is_above_max_range === true) return { key: 'results.flag.above', tone: 'warn' } as const;
  if (result.is_below_min_range === true) return { key: 'results.flag.below', tone: 'warn' } as const;
  if (result.interpretation === 'abnormal') return { key: 'results.flag.abnormal', tone: 'warn' } as const;
  if (result.interpretation === 'normal') return { key: 'results.flag.normal', tone: 'good' } as const;
  return { key: 'results.flag.unknown', tone: '' } as const;
}

const laboratoryNote = ({ t }: PageView, note: string): Markup =>
  markup`<p><small>${t('results.note', { note })}</small></p>`;

const REASONS = {
  quantity_not_sufficient_failure: 'results.missing.sample',
  insufficient_volume: 'results.missing.sample',
  collection_process_failure: 'results.missing.collection',
  drop_off_failure: 'results.missing.transport',
  internal_lab_failure: 'results.missing.laboratory',
  order_entry_failure: 'results.missing.order',
  missing_demo_aoe_calc_failure: 'results.missing.order',
  patient_condition_failure: 'results.missing.patient',
  missing_result_calc_failure: 'results.missing.calculation',
  non_failure: 'results.missing.unneeded',
  unknown_failure: 'results.missing.unknown',
} as const;

const hasReason = (type: string): type is keyof typeof REASONS => Object.hasOwn(REASONS, type);

function missingList(view: PageView, missing: readonly MissingView[], { status }: StoredReport): Markup {
  const { t } = view;
  const reasonOf = ({ inferred_failure_type: type, note }: MissingView) => {
    if (status === 'partial' && type === 'unknown_failure' && !note) return t('results.missing.pending');
    return t(hasReason(type) ? REASONS[type] : 'results.missing.unknown');
  };
  return markup`<h2>${t('results.missing')}</h2>
${missing.map(
  (one) => markup`<section class="result">
<h3 lang="en">${one.name}</h3>
<p>${reasonOf(one)}</p>
${one.note ? laboratoryNote(view, one.note) : undefined}
</section>
`,
)}`;
}
