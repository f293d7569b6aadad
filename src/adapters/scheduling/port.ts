/** Who sees patients: the two networks of patient service centers, and the two of phlebotomists who come home. */
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
  /** How to come in; goes to the provider with every booking. */
  readonly accessNotes: string | null;
}

/** From when until when a day is open, in local time as `08:00`; several stretches where there is a break. */
export interface OpenHours {
  readonly opens: string;
  readonly closes: string;
}

/** Where patients can be seen: a patient service center, or the patient's home. */
export interface VisitPlace {
  /** The site's code; for a home, its zip code. It names the place towards the provider. */
  readonly code: string;
  readonly name: string;
  readonly address: VisitAddress;
  readonly point: GeoPoint;
  /** IANA name, as `America/New_York`. */
  readonly timeZone: string;
  /** Monday first, seven entries, each with its stretches; null where the provider keeps its own hours. */
  readonly hours: readonly (readonly OpenHours[])[] | null;
}

/** A time at which a place can see patients. */
export interface VisitSlot {
  /** The provider's name of the slot, without meaning for us; unique at its provider. */
  readonly slotId: string;
  readonly startAt: Date;
  readonly endAt: Date;
  /** How many patients it can still take, as far as the provider knows. */
  readonly places: number;
  /** In US dollars, what the provider asks beyond the visit. */
  readonly price: number;
  readonly isPriority: boolean;
}

export interface PlaceSlots {
  readonly place: VisitPlace;
  /** In order of their start. */
  readonly slots: readonly VisitSlot[];
}

export interface AvailabilityAsked {
  readonly places: readonly VisitPlace[];
  /** First day, `YYYY-MM-DD`, in each place's own time zone. */
  readonly from: string;
  readonly days: number;
  /** Slots that begin before it are not answered. */
  readonly now: Date;
}

/** What is asked of the provider for a patient. The same `appointmentId` asks for the same appointment, ever. */
export interface VisitWish {
  readonly appointmentId: string;
  readonly orderId: string;
  readonly place: VisitPlace;
  readonly patient: {
    readonly firstName: string;
    readonly lastName: string;
    readonly dob: string;
    readonly gender: string;
    readonly phone: string | null;
    readonly email: string | null;
  };
  /** The order is not yet at the laboratory: the place is only kept until the requisition comes. */
  readonly reserveOnly: boolean;
  readonly notes: string | null;
  readonly now: Date;
}

export interface SlotWish extends VisitWish {
  readonly slot: Pick<VisitSlot, 'slotId' | 'startAt' | 'endAt'>;
}

/** The appointment, as the provider has it now. */
export interface ProviderVisit {
  /** The provider's own id of it. */
  readonly providerId: string;
  readonly externalId: string | null;
  readonly status: 'pending' | 'reserved' | 'confirmed' | 'in_progress' | 'completed' | 'cancelled';
  /** Null while the provider has set no time. */
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  /** In the provider's own words, without what it says of persons. */
  readonly said: string | null;
}

/**
 * An appointment that was asked for. A provider with a memory finds it by our id alone. That of a sandbox keeps
 * nothing: it reads on from `last`, what it answered before, and without it knows of no appointment.
 */
export interface KnownVisit {
  readonly appointmentId: string;
  readonly last: ProviderVisit | undefined;
}

/** `taken`: the slot has no place left, and nothing was booked. */
export type BookAnswer = ProviderVisit | 'taken';

/**
 * What we ask of a scheduling provider. It never calls us: it answers, and we come back to look.
 * Every question may be asked again after a crash or a timeout without making a second appointment.
 * A provider that cannot be reached throws a DomainError of kind `unavailable`.
 */
export interface SchedulingProvider {
  readonly name: SchedulingProviderName;
  /** `slots`: times can be chosen. `request`: the provider sets the time by itself, after being asked. */
  readonly kind: 'slots' | 'request';
  /** Whether it comes to, or is found in, this zip code. */
  serves(zip: string): boolean;
  /** The slots of every place; a place without free slots stands with none. Of kind `slots` only. */
  availability(asked: AvailabilityAsked): Promise<readonly PlaceSlots[]>;
  /** Of kind `slots` only. */
  book(wish: SlotWish): Promise<BookAnswer>;
  /** Of kind `request` only. */
  request(wish: VisitWish): Promise<ProviderVisit>;
  /** Moves an appointment to another slot; when it is `taken`, the old one stands. */
  reschedule(wish: SlotWish & { readonly providerId: string | null }): Promise<BookAnswer>;
  /** A reserved appointment becomes confirmed: the requisition has come. */
  confirm(visit: KnownVisit & { readonly last: ProviderVisit }): Promise<ProviderVisit>;
  /** What is not known there, or cancelled before, is no failure. */
  cancel(visit: {
    readonly appointmentId: string;
    readonly reason: string;
    readonly note: string | null;
  }): Promise<void>;
  /** The appointment now; undefined where it was never asked for. */
  look(visit: KnownVisit & { readonly now: Date }): Promise<ProviderVisit | undefined>;
}

export type SchedulingProviders = Readonly<
  Record<'sandbox' | 'production', Readonly<Partial<Record<SchedulingProviderName, SchedulingProvider>>>>
>;
