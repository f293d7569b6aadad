import { formatDate, languageField, markup, pagePath, renderPage, type Markup } from '../hosted/hosted.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import type { Appointment } from '../scheduling/appointments/appointments.ts';
import type { AppointmentType } from '../scheduling/appointments/status.ts';
import { addressLines } from './address.ts';
import type { PatientVisit } from './page.ts';

interface AppointmentPageInput {
  readonly visit: PatientVisit;
  readonly appointment: Appointment;
  /** Whether it can be moved, and cancelled, here and now. */
  readonly canMove: boolean;
  readonly canCancel: boolean;
  /** Whether another one can be booked. */
  readonly canBookAgain: boolean;
  readonly note?: string | undefined;
  readonly error?: string | undefined;
}

const bookingUrl = ({ app, view, word }: PatientVisit, more: Readonly<Record<string, string>> = {}): string =>
  pagePath(app.config, '/booking', { token: word, lang: view.language, ...more });

/** The appointment of the order, with what the patient can do. */
export function appointmentPage(input: AppointmentPageInput): BrowserResponse {
  const { visit, appointment, note, error } = input;
  const { t } = visit.view;
  const isActive = appointment.status !== 'cancelled' && appointment.status !== 'completed';
  return renderPage({
    view: visit.view,
    title: t('booking.yours'),
    ...(error !== undefined && { status: 409 }),
    body: markup`${error === undefined ? undefined : markup`<p role="alert">${error}</p>`}
${note === undefined ? undefined : markup`<p role="status">${note}</p>`}
${appointmentFacts(visit, appointment)}
${isActive ? whatToBring(visit, appointment.type) : undefined}
${isActive ? actions(input) : undefined}
${input.canBookAgain ? markup`<a class="button" href="${bookingUrl(visit)}">${t('booking.again')}</a>` : undefined}`,
  });
}

function appointmentFacts({ view: { t, language } }: PatientVisit, appointment: Appointment): Markup {
  const { start_at: at, end_at: end, time_zone: zone, type, status } = appointment;
  const { place, notes } = appointment.private;
  const timeZone = zone ?? place.timeZone;
  const when = at ? formatDate(language, 'moment', [at, timeZone]) : t('booking.when.open');
  const until =
    at && end && type === 'phlebotomy' ? ` – ${formatDate(language, 'time', [end, timeZone])}` : '';
  const { address } = place;
  const lines = addressLines({
    first_line: address.firstLine,
    second_line: address.secondLine,
    city: address.city,
    state: address.state,
    zip_code: address.zip,
  });
  return markup`<dl>
<dt>${t('booking.when')}</dt><dd class="when">${when}${until}${at ? markup`<br><small>${formatDate(language, 'zone', [at, timeZone])}</small>` : undefined}</dd>
<dt>${t('booking.where')}</dt><dd><b>${type === 'phlebotomy' ? t('booking.where.home') : place.name}</b><br>${lines.join(', ')}</dd>
<dt>${t('booking.status')}</dt><dd>${t(`booking.state.${status}`)}</dd>
${notes ? markup`<dt>${t('booking.your-notes')}</dt><dd>${notes}</dd>` : undefined}
</dl>`;
}

function whatToBring({ view: { t } }: PatientVisit, type: AppointmentType): Markup {
  const own = type === 'phlebotomy' ? ('booking.bring.home' as const) : ('booking.bring.early' as const);
  const keys = ['booking.bring.id', 'booking.bring.insurance', own] as const;
  const preparation = ['booking.bring.fasting', 'booking.bring.water'] as const;
  return markup`<h2>${t('booking.bring')}</h2>
<ul class="plain">
${[...keys, ...preparation].map(
  (key) => markup`<li>${t(key)}</li>
`,
)}</ul>`;
}

function actions({ visit, appointment, canMove, canCancel }: AppointmentPageInput): Markup {
  const { t, language } = visit.view;
  const calendar = pagePath(visit.app.config, '/booking/calendar', { token: visit.word, lang: language });
  const isSoon = !canMove && canCancel && appointment.kind === 'slots' && appointment.status !== 'pending';
  const fixed = canCancel ? (isSoon ? t('booking.fixed.soon') : undefined) : t('booking.fixed');
  return markup`${appointment.start_at ? markup`<a class="button" href="${calendar}">${t('booking.calendar')}</a>` : undefined}
${canMove ? markup`<a class="button quiet" href="${bookingUrl(visit, { change: '1' })}">${t('booking.reschedule')}</a>` : undefined}
${canCancel ? markup`<a class="button quiet" href="${bookingUrl(visit, { cancel: '1' })}">${t('booking.cancel')}</a>` : undefined}
${fixed === undefined ? undefined : markup`<p class="note warn">${fixed}</p>`}`;
}

/** The reasons that a patient can have, by their ids in the interface. */
const REASONS = {
  phlebotomy: {
    '6f0c8f1e-2d0a-4c55-9a3e-0d6b1f1f7a01': 'booking.cancel.reason.cannot',
    'c3a1d7e2-94b6-4f0b-b1c7-2e8f5a6d4b03': 'booking.cancel.reason.ill',
    '5d2e9b80-1c7f-4a64-8e2b-7f9a0c3b6d04': 'booking.cancel.reason.unprepared',
    '0b9a4f0c-7f5e-4f57-8d6c-5b0e6a3d9c02': 'booking.cancel.reason.unwanted',
    '74c0e5f8-6b3a-4b9d-8c15-1f2e9d7a6b08': 'booking.cancel.reason.other',
  },
  patient_service_center: {
    'b5e8a1d4-0c6f-4d37-9b82-4a7f3e1c5d11': 'booking.cancel.reason.cannot',
    'd07b4e59-2f8c-4a16-b3e9-8d5f1c6a0e13': 'booking.cancel.reason.ill',
    '68a2f0c1-9d5e-4c7b-a048-0e3b7d9f4c14': 'booking.cancel.reason.elsewhere',
    '3f9d6c27-e1a8-4b50-8f4d-6c0b2e9a7d12': 'booking.cancel.reason.unwanted',
    '8d3b7a05-4e9f-4d68-b17c-c2e6f0a9d517': 'booking.cancel.reason.other',
  },
} as const satisfies Record<AppointmentType, Record<string, string>>;

export const isPatientReason = (type: AppointmentType, id: string): boolean =>
  Object.hasOwn(REASONS[type], id);

/** The page that asks for the reason of a cancellation. */
export function cancelPage(visit: PatientVisit, appointment: Appointment, error?: string): BrowserResponse {
  const { view, fields } = visit;
  const { t } = view;
  const reasons = Object.entries(REASONS[appointment.type]);
  return renderPage({
    view,
    title: t('booking.cancel.title'),
    ...(error !== undefined && { status: 422 }),
    body: markup`${error === undefined ? undefined : markup`<p role="alert">${error}</p>`}
${appointmentFacts(visit, appointment)}
<form method="post" action="${pagePath(visit.app.config, '/booking')}">
<input type="hidden" name="token" value="${visit.word}">
<input type="hidden" name="action" value="cancel">
${languageField(view)}
<fieldset>
<legend>${t('booking.cancel.reason')}</legend>
${reasons.map(
  ([id, key]) => markup`<div class="choice">
<input type="radio" id="r-${id}" name="reason" value="${id}" required>
<label for="r-${id}">${t(key)}</label>
</div>
`,
)}</fieldset>
<p><label for="note"><b>${t('booking.cancel.note')}</b></label>
<textarea id="note" name="note" maxlength="1000">${fields['note'] ?? ''}</textarea></p>
<button class="danger">${t('booking.cancel')}</button>
<a class="button quiet" href="${bookingUrl(visit)}">${t('booking.keep')}</a>
</form>`,
  });
}
