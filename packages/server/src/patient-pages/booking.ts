import { inTenant } from '../app.ts';
import { pagePath, redirectTo } from '../hosted/hosted.ts';
import { DomainError } from '../platform/errors.ts';
import type { BrowserResponse } from '../platform/http/serve-open.ts';
import type { Work } from '../platform/work.ts';
import {
  cancelVisit,
  canReschedule,
  finishBooking,
  finishReschedule,
  prepareBooking,
  prepareReschedule,
  readOrderVisit,
  SLOT_TAKEN,
  toCalendarFile,
  type Appointment,
  type OrderVisit,
} from '../scheduling/appointments/appointments.ts';
import { appointmentMachine } from '../scheduling/appointments/status.ts';
import { appointmentPage, cancelPage, isPatientReason } from './appointment-page.ts';
import { getFreeSlots, readFirstDay } from './free-slots.ts';
import { messagePage, readVisit, type PatientVisit, type StringKeyWithoutValues } from './page.ts';
import { slotPage } from './slot-pages.ts';

interface BookingState {
  readonly order: OrderVisit;
  readonly appointment: Appointment | undefined;
  readonly isActive: boolean;
  readonly canMove: boolean;
  readonly canCancel: boolean;
  readonly canBookAgain: boolean;
  readonly from: string | undefined;
}

/** The page on which a patient books, moves and cancels the appointment of an order. */
export async function showBooking(visit: PatientVisit): Promise<BrowserResponse> {
  const { method, fields, view } = visit;
  const state = await readState(visit);
  if (!state) return messagePage(view, { title: 'booking.phone.title', text: 'booking.phone.text' });
  if (method !== 'POST') return showState(visit, state);
  switch (fields['action']) {
    case 'cancel':
      return cancel(visit, state);
    case 'move':
      return move(visit, state);
    default:
      return book(visit, state);
  }
}

const readState = (visit: PatientVisit): Promise<BookingState | undefined> =>
  readVisit(visit, async (work) => {
    const order = await readOrderVisit(work, visit.token.orderId);
    if (!order) return undefined;
    const { appointment } = order;
    const isActive = appointment !== undefined && appointmentMachine[appointment.status].active;
    return {
      order,
      appointment,
      isActive,
      canMove: appointment !== undefined && canReschedule(work, appointment),
      canCancel: appointment !== undefined && isCancellable(work, appointment),
      canBookAgain: !isActive && order.booking === 'open',
      from: readFirstDay(work, visit.fields['from'] ?? visit.query['from']),
    };
  });

/** A visit that has begun is cancelled by the team alone. */
const isCancellable = ({ now }: Pick<Work, 'now'>, { status, start_at: at }: Appointment): boolean =>
  appointmentMachine[status].cancel && (at === null || at > now);

const NOTES = {
  booked: 'booking.done.booked',
  moved: 'booking.done.moved',
} as const;

async function showState(visit: PatientVisit, state: BookingState): Promise<BrowserResponse> {
  const { query, view } = visit;
  const { appointment, isActive, order } = state;
  const done = query['done'];
  if (appointment && isActive) {
    if (query['cancel'] !== undefined && state.canCancel) return cancelPage(visit, appointment);
    if (query['change'] !== undefined && state.canMove) return offerSlots(visit, state);
    const note = done === 'booked' || done === 'moved' ? view.t(NOTES[done]) : undefined;
    return appointmentPage({ ...state, visit, appointment, note });
  }
  if (order.booking === 'open' && done !== 'cancelled') return offerSlots(visit, state);
  if (appointment) {
    const note = done === 'cancelled' ? view.t('booking.done.cancelled') : undefined;
    return appointmentPage({ ...state, visit, appointment, note });
  }
  return messagePage(view, {
    title: order.booking === 'early' ? 'booking.early.title' : 'booking.closed.title',
    text: order.booking === 'early' ? 'booking.early.text' : 'booking.closed.text',
  });
}

interface SlotProblem {
  readonly error: StringKeyWithoutValues;
  readonly status: number;
}

/** The free slots, with why the last attempt failed. */
async function offerSlots(
  visit: PatientVisit,
  state: BookingState,
  problem?: SlotProblem,
): Promise<BrowserResponse> {
  const { view } = visit;
  const { order, from, isActive } = state;
  const places = await getFreeSlots(visit, order, from);
  if (places === 'busy')
    return messagePage(view, { title: 'booking.busy.title', text: 'booking.busy.text', status: 503 });
  if (places === 'phone')
    return messagePage(view, { title: 'booking.phone.title', text: 'booking.phone.text' });
  return slotPage({
    visit,
    order,
    places,
    from,
    isMove: isActive,
    error: problem && view.t(problem.error),
    status: problem?.status ?? 200,
  });
}

/** Why a booking failed, in the words of the page. */
function toProblem(error: DomainError): SlotProblem {
  if (error.kind === 'unavailable' || error.kind === 'too_many')
    return { error: 'booking.error.busy', status: 503 };
  if (error.message === SLOT_TAKEN) return { error: 'booking.error.taken', status: 409 };
  if (error.message.startsWith('The booking key')) return { error: 'booking.error.stale', status: 409 };
  return { error: 'booking.error.other', status: 409 };
}

const backToPage = ({ app, word, view }: PatientVisit, done: string): BrowserResponse =>
  redirectTo(pagePath(app.config, '/booking', { token: word, lang: view.language, done }));

/** Shows what is free, or what is booked by now, after a failed attempt. */
async function showFailure(visit: PatientVisit, error: unknown): Promise<BrowserResponse> {
  if (!(error instanceof DomainError) || error.kind === 'not_found') throw error;
  const problem = toProblem(error);
  const state = await readState(visit);
  if (!state) throw error;
  const { appointment, isActive, canMove } = state;
  if (!appointment || !isActive) return offerSlots(visit, state, problem);
  const isMove = visit.fields['action'] === 'move';
  if (isMove && canMove) return offerSlots(visit, state, problem);
  // Another tab has booked in the meantime: what is booked says more than an error.
  if (!isMove) return appointmentPage({ ...state, visit, appointment });
  return appointmentPage({ ...state, visit, appointment, error: visit.view.t('booking.error.soon') });
}

/** A form that is sent twice is one booking: the appointment that the first made is found by token and slot. */
const repeatKey = ({ token }: PatientVisit): string => `patient-page/${token.id}`;

async function book(visit: PatientVisit, state: BookingState): Promise<BrowserResponse> {
  const { app, token, fields } = visit;
  const bookingKey = fields['booking_key'] ?? '';
  if (bookingKey === '') {
    if (state.isActive || state.order.booking !== 'open') return showState(visit, state);
    return offerSlots(visit, state, { error: 'booking.error.choose', status: 422 });
  }
  const notes = (fields['notes'] ?? '').trim().slice(0, NOTES_MAX);
  try {
    const prepared = await prepareBooking(app, token.tenant, {
      orderId: token.orderId,
      type: state.order.type,
      bookingKey,
      notes: notes === '' ? null : notes,
      isAsync: false,
      syncMs: null,
      asyncMs: null,
      idempotencyKey: repeatKey(visit),
    });
    await inTenant(app, token.tenant, async (work) => {
      const { appointment } = await finishBooking(work, prepared);
      // The form of an appointment that was cancelled since, from the browser's history.
      if (appointment.status === 'cancelled') throw new DomainError('bad_request', SLOT_TAKEN);
      visit.logDone(work, 'bookOnPatientPage');
    });
    return backToPage(visit, 'booked');
  } catch (error) {
    return showFailure(visit, error);
  }
}

const NOTES_MAX = 1000;

async function move(visit: PatientVisit, state: BookingState): Promise<BrowserResponse> {
  const { app, token, fields } = visit;
  const bookingKey = fields['booking_key'] ?? '';
  if (bookingKey === '' && state.canMove)
    return offerSlots(visit, state, { error: 'booking.error.choose', status: 422 });
  try {
    const prepared = await prepareReschedule(app, token.tenant, {
      orderId: token.orderId,
      type: state.order.type,
      bookingKey,
      notes: null,
      idempotencyKey: repeatKey(visit),
    });
    await inTenant(app, token.tenant, async (work) => {
      await finishReschedule(work, prepared);
      visit.logDone(work, 'rescheduleOnPatientPage');
    });
    return backToPage(visit, 'moved');
  } catch (error) {
    return showFailure(visit, error);
  }
}

async function cancel(visit: PatientVisit, state: BookingState): Promise<BrowserResponse> {
  const { app, token, fields, view } = visit;
  const { appointment, order } = state;
  // A form that was sent twice.
  if (!appointment || appointment.status === 'cancelled') return backToPage(visit, 'cancelled');
  if (!state.canCancel)
    return appointmentPage({ ...state, visit, appointment, error: view.t('booking.error.begun') });
  const reasonId = fields['reason'] ?? '';
  if (!isPatientReason(order.type, reasonId))
    return cancelPage(visit, appointment, view.t('booking.cancel.missing'));
  const note = (fields['note'] ?? '').trim().slice(0, NOTES_MAX);
  try {
    await inTenant(app, token.tenant, async (work) => {
      const { orderId } = token;
      await cancelVisit(work, { orderId, type: order.type, reasonId, note: note === '' ? null : note });
      visit.logDone(work, 'cancelOnPatientPage');
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind === 'not_found') throw error;
    return appointmentPage({ ...state, visit, appointment, error: view.t('booking.error.begun') });
  }
  return backToPage(visit, 'cancelled');
}

/** The appointment as a file for a calendar. */
export async function downloadCalendar(visit: PatientVisit): Promise<BrowserResponse> {
  const state = await readState(visit);
  const { appointment, order } = state ?? {};
  if (!appointment?.start_at || !order) throw new DomainError('not_found', 'Appointment not found');
  const file = toCalendarFile({ order: order.order, appointment });
  return {
    status: 200,
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `attachment; filename="appointment.ics"`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    text: Buffer.from(await file.render()),
  };
}
