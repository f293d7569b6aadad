import { formatDate, languageField, markup, pagePath, renderPage, type Markup } from '../hosted/hosted.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import type { OrderVisit } from '../scheduling/appointments/appointments.ts';
import type { PlaceSlots } from './free-slots.ts';
import { addressLines } from './address.ts';
import type { PatientVisit } from './page.ts';

interface SlotPageInput {
  readonly visit: PatientVisit;
  readonly order: OrderVisit;
  readonly places: readonly PlaceSlots[];
  /** The first of the days that are shown, if it is not today. */
  readonly from: string | undefined;
  /** Whether an appointment is moved, not booked. */
  readonly isMove: boolean;
  readonly error: string | undefined;
  readonly status: number;
}

type Choice = Readonly<Record<'site' | 'day' | 'from', string | undefined>>;

const bookingUrl = ({ visit, isMove }: SlotPageInput, choice: Partial<Choice>): string =>
  pagePath(visit.app.config, '/booking', {
    token: visit.word,
    lang: visit.view.language,
    ...(isMove && { change: '1' }),
    ...choice,
  });

/** The page to choose a center, a day and a time, one after the other, by links. */
export function slotPage(input: SlotPageInput): BrowserResponse {
  const { visit, order, places, isMove, error, status } = input;
  const { view, query, fields } = visit;
  const { t } = view;
  const isHome = order.type === 'phlebotomy';
  const chosen = fields['site'] ?? query['site'];
  const place = isHome ? places[0] : places.find(({ site }) => site?.code === chosen);
  const title = isMove ? 'booking.move.title' : isHome ? 'booking.title.home' : 'booking.title.center';
  return renderPage({
    view,
    title: t(title),
    status,
    body: markup`${error === undefined ? undefined : markup`<p role="alert">${error}</p>`}
${place ? placeSlots(input, place) : centerList(input)}
${isMove ? markup`<p><a href="${pagePath(visit.app.config, '/booking', { token: visit.word, lang: view.language })}">${t('booking.keep')}</a></p>` : undefined}`,
  });
}

function centerList(input: SlotPageInput): Markup {
  const { t } = input.visit.view;
  if (input.places.length === 0) return markup`<p class="note">${t('booking.centers.none')}</p>`;
  return markup`<p>${t('booking.intro.center')}</p>
<h2>${t('booking.centers')}</h2>
<ul class="centers">
${input.places.map((place) => centerItem(input, place))}</ul>
${pager(input, input.places[0])}`;
}

function centerItem(input: SlotPageInput, { site, days }: PlaceSlots): Markup {
  const { t, language } = input.visit.view;
  const first = days.find(({ slots }) => slots.length > 0);
  const free =
    first === undefined
      ? t('booking.center.full')
      : t('booking.center.first', { day: formatDate(language, 'date', [noonOf(first.date), 'UTC']) });
  const miles = site?.distance ?? null;
  return markup`<li><a href="${bookingUrl(input, { site: site?.code, from: input.from })}"><b>${site?.name ?? ''}
${miles === null ? undefined : markup`<span>${t('booking.miles', { miles: String(miles) })}</span>`}</b>
<small>${site ? addressLines(site.address).join(', ') : ''}</small><small>${free}</small></a></li>
`;
}

/** A day as an instant, to write its date. */
const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`);

function placeSlots(input: SlotPageInput, place: PlaceSlots): Markup {
  const { visit, order } = input;
  const { t } = visit.view;
  const wanted = visit.fields['day'] ?? visit.query['day'];
  const free = place.days.filter(({ slots }) => slots.length > 0);
  const day = free.find(({ date }) => date === wanted) ?? free[0];
  return markup`${placeHeader(input, place)}
<h2>${t('booking.day')}</h2>
${day ? dayList(input, place, day.date) : markup`<p class="note">${t('booking.none')}</p>`}
${pager(input, place)}
${day ? timeForm(input, place, day) : undefined}
${order.type === 'phlebotomy' ? markup`<p><small>${t('booking.address.wrong')}</small></p>` : undefined}`;
}

function placeHeader(input: SlotPageInput, { site }: PlaceSlots): Markup {
  const { visit, order } = input;
  const { t } = visit.view;
  if (site === null) {
    const { address } = order.order.private;
    const lines = address ? addressLines({ ...address, zip_code: address.zip }) : [];
    return markup`<p>${t('booking.intro.home')}</p>
<p class="note">${lines.join(', ')}</p>`;
  }
  return markup`<p class="note"><b>${site.name}</b><br>${addressLines(site.address).join(', ')}<br>
<a href="${bookingUrl(input, { from: input.from })}">${t('booking.center.change')}</a></p>`;
}

function dayList(input: SlotPageInput, place: PlaceSlots, current: string): Markup {
  const { t, language } = input.visit.view;
  const items = place.days.map(({ date, slots }) => {
    const at = noonOf(date);
    const weekday = formatDate(language, 'weekday', [at, 'UTC']);
    const day = formatDate(language, 'day', [at, 'UTC']);
    if (slots.length === 0) {
      return markup`<li><span>${weekday}<br>${day}<small>${t('booking.day.none')}</small></span></li>
`;
    }
    const url = bookingUrl(input, { site: place.site?.code, day: date, from: input.from });
    const mark = date === current ? markup` aria-current="date"` : undefined;
    return markup`<li><a href="${url}"${mark}>${weekday}<br>${day}<small>${t('booking.day.free', { count: String(slots.length) })}</small></a></li>
`;
  });
  return markup`<ul class="days">
${items}</ul>`;
}

/** Links to the days before and after those that are shown. */
function pager(input: SlotPageInput, place: PlaceSlots | undefined): Markup | undefined {
  const { t } = input.visit.view;
  const last = place?.days.at(-1)?.date;
  if (last === undefined) return undefined;
  const site = input.places.length > 1 || place?.site ? siteOf(input) : undefined;
  const next = new Date(noonOf(last).getTime() + 86_400_000).toISOString().slice(0, 10);
  const earlier =
    input.from === undefined
      ? undefined
      : markup`<a href="${bookingUrl(input, { site })}">${t('booking.earlier')}</a> · `;
  return markup`<p>${earlier}<a href="${bookingUrl(input, { site, from: next })}">${t('booking.later')}</a></p>`;
}

const siteOf = ({ visit }: SlotPageInput): string | undefined => visit.fields['site'] ?? visit.query['site'];

function timeForm(input: SlotPageInput, place: PlaceSlots, day: PlaceSlots['days'][number]): Markup {
  const { visit, isMove, order } = input;
  const { t, language } = visit.view;
  const { timeZone } = place;
  const times = day.slots.flatMap((slot, at) => {
    if (slot.booking_key === null) return [];
    const [start, end] = [new Date(slot.start), new Date(slot.end)];
    const text = formatDate(language, 'time', [start, timeZone]);
    const until = formatDate(language, 'time', [end, timeZone]);
    return [
      markup`<div><input type="radio" id="t-${String(at)}" name="booking_key" value="${slot.booking_key}" required>
<label for="t-${String(at)}">${order.type === 'phlebotomy' ? `${text} – ${until}` : text}</label></div>
`,
    ];
  });
  const zone = formatDate(language, 'zone', [noonOf(day.date), timeZone]);
  return markup`<form method="post" action="${pagePath(visit.app.config, '/booking')}">
<input type="hidden" name="token" value="${visit.word}">
<input type="hidden" name="action" value="${isMove ? 'move' : 'book'}">
<input type="hidden" name="day" value="${day.date}">
${place.site === null ? undefined : markup`<input type="hidden" name="site" value="${place.site.code}">`}
${input.from === undefined ? undefined : markup`<input type="hidden" name="from" value="${input.from}">`}
${languageField(visit.view)}
<fieldset>
<legend>${t('booking.time', { day: formatDate(language, 'date', [noonOf(day.date), 'UTC']) })}</legend>
<div class="times">
${times}</div>
<small>${t('booking.zone', { zone })}</small>
</fieldset>
${isMove ? undefined : notesField(input)}
<button>${t(isMove ? 'booking.move' : 'booking.book')}</button>
</form>`;
}

const notesField = ({ visit: { view, fields }, order }: SlotPageInput): Markup =>
  markup`<p><label for="notes"><b>${view.t('booking.notes')}</b></label><br>
${order.type === 'phlebotomy' ? markup`<small id="notes-hint">${view.t('booking.notes.hint')}</small>` : undefined}
<textarea id="notes" name="notes" maxlength="1000">${fields['notes'] ?? ''}</textarea></p>`;
