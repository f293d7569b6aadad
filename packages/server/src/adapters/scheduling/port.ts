/** Two networks of patient service centers, and two of phlebotomists who visit patients at home. */
export const SCHEDULING_PROVIDERS = ['quest', 'sonora_quest', 'getlabs', 'phlebfinders'] as const;
export type SchedulingProviderName = (typeof SCHEDULING_PROVIDERS)[number];

export interface GeoPoint {
  readonly lat: number;
  readonly lng: number;
}

export interface VisitAddress {
  readonly firstLine: string;
  readonly secondLine: string | null;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  /** How to enter the building; sent to the provider with every booking. */
  readonly accessNotes: string | null;
}

/** One opening interval of a day, in local time (`08:00`). A day with a break has several. */
export interface OpenHours {
  readonly opens: string;
  readonly closes: string;
}

/** Where a visit can happen: a patient service center or the patient's home. */
export interface VisitLocation {
  /** Identifies the location to the provider: the site's code, or the ZIP code of a home. */
  readonly code: string;
  readonly name: string;
  readonly address: VisitAddress;
  readonly point: GeoPoint;
  /** IANA name, for example `America/New_York`. */
  readonly timeZone: string;
  /** Opening intervals of each weekday, seven entries, Monday first; null if the provider has its own hours. */
  readonly hours: readonly (readonly OpenHours[])[] | null;
}

/** A bookable time at a location. */
export interface VisitSlot {
  /** Opaque id, unique within its provider. */
  readonly slotId: string;
  readonly startAt: Date;
  readonly endAt: Date;
  /** Remaining capacity in patients, as far as the provider knows. */
  readonly places: number;
  /** The provider's surcharge for this slot, in US dollars. */
  readonly price: number;
  readonly isPriority: boolean;
}

export interface LocationSlots {
  readonly place: VisitLocation;
  /** Sorted by start time. */
  readonly slots: readonly VisitSlot[];
}

export interface AvailabilityRequest {
  readonly places: readonly VisitLocation[];
  /** First day, `YYYY-MM-DD`, in the time zone of each location. */
  readonly from: string;
  readonly days: number;
  /** Slots that start at or before it are left out. */
  readonly now: Date;
}

/** A request for a visit. Idempotent: the same `appointmentId` always means the same appointment. */
export interface VisitRequest {
  readonly appointmentId: string;
  readonly orderId: string;
  readonly place: VisitLocation;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly dob: string;
    readonly gender: string;
    readonly phone: string | null;
    readonly email: string | null;
  };
  /** Reserve only: the laboratory does not have the order yet. Confirmed when the requisition arrives. */
  readonly reserveOnly: boolean;
  readonly notes: string | null;
  readonly now: Date;
}

export interface SlotBookingRequest extends VisitRequest {
  readonly slot: Pick<VisitSlot, 'slotId' | 'startAt' | 'endAt'>;
}

/** The current state of an appointment at its provider. */
export interface ProviderVisit {
  /** The provider's id of the appointment. */
  readonly providerId: string;
  readonly externalId: string | null;
  readonly status: 'pending' | 'reserved' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled';
  /** Null until the provider sets a time. */
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  /** The provider's message, without personal data. */
  readonly said: string | null;
}

/**
 * A requested appointment. Real providers find it by our id. The sandbox provider is stateless: it continues from
 * `last`, its previous response, and without it knows no appointment.
 */
interface VisitReference {
  readonly appointmentId: string;
  readonly last: ProviderVisit | undefined;
}

/** `taken`: the slot is full, and nothing was booked. */
export type BookingResult = ProviderVisit | 'taken';

/**
 * A scheduling provider. It never calls back: the service polls it with `look`.
 * Every request is idempotent: after a crash or a timeout it can be repeated without creating a second appointment.
 * Throws a DomainError of kind `unavailable` if the provider cannot be reached.
 */
export interface SchedulingProvider {
  readonly name: SchedulingProviderName;
  /** `slots`: the patient chooses a slot. `request`: the provider sets the time after a request. */
  readonly kind: 'slots' | 'request';
  /** Whether the provider serves this ZIP code. */
  serves(zip: string): boolean;
  /** The free slots of every location, including locations without any. Kind `slots` only. */
  availability(asked: AvailabilityRequest): Promise<readonly LocationSlots[]>;
  /** Kind `slots` only. */
  book(wish: SlotBookingRequest): Promise<BookingResult>;
  /** Kind `request` only. */
  request(wish: VisitRequest): Promise<ProviderVisit>;
  /** Moves an appointment to another slot; if that is `taken`, the old slot stays booked. */
  reschedule(wish: SlotBookingRequest & { readonly providerId: string | null }): Promise<BookingResult>;
  /** Confirms a reserved appointment after the requisition arrived. */
  confirm(visit: VisitReference & { readonly last: ProviderVisit }): Promise<ProviderVisit>;
  /** Succeeds also for an appointment that is unknown there or already cancelled. */
  cancel(visit: {
    readonly appointmentId: string;
    readonly reason: string;
    readonly note: string | null;
  }): Promise<void>;
  /** The current state; undefined if the appointment was never requested. */
  look(visit: VisitReference & { readonly now: Date }): Promise<ProviderVisit | undefined>;
}

export type SchedulingProviders = Readonly<
  Record<'sandbox' | 'production', Readonly<Partial<Record<SchedulingProviderName, SchedulingProvider>>>>
>;
