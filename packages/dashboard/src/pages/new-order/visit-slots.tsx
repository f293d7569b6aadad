import { SlotPicker, type Availability } from '../../components/slot-picker.tsx';
import type { Visit } from './draft.ts';

interface VisitSlotsProps {
  readonly availability: Availability;
  /** Where the visit is, in words. */
  readonly place: string;
  readonly visit: Visit | undefined;
  readonly onChoose: (visit: Visit) => void;
}

/** The free times of a visit that is booked with the order. The chosen one stays while other days are shown. */
export const VisitSlots = ({ availability, place, visit, onChoose }: VisitSlotsProps) => (
  <SlotPicker
    availability={availability}
    value={visit?.kind === 'slot' ? visit.bookingKey : undefined}
    onChoose={(slot) => slot && onChoose({ kind: 'slot', ...slot, place })}
    otherwise="Order now and book later."
  />
);
