import type { OpenHours } from '../../adapters/scheduling/port.ts';

export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Monday first; a day without intervals is closed. */
type WeekHours = OpenHours[][];

const DAY_ABBREVIATIONS = DAYS.map((day) => day.slice(0, 3));
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const DAYS_PATTERN = new RegExp(`^([a-z]{3})(?:-([a-z]{3}))?((?: +${TIME}-${TIME})+)$`);
const INTERVAL_PATTERN = new RegExp(`(${TIME})-(${TIME})`, 'g');

/**
 * Parses opening hours such as `mon-fri 07:00-12:00 13:00-16:00; sat 07:00-11:00`. Days that are not listed are closed.
 * Returns an error message for an invalid text.
 */
export function parseHours(text: string): WeekHours | string {
  const week: WeekHours = DAYS.map(() => []);
  for (const part of text.split(';')) {
    const match = DAYS_PATTERN.exec(part.trim().toLowerCase());
    if (!match)
      return `expected hours such as mon-fri 07:00-12:00 13:00-16:00; sat 07:00-11:00, got ${part.trim()}`;
    const [, from = '', to = from, times = ''] = match;
    const [first, last] = [DAY_ABBREVIATIONS.indexOf(from), DAY_ABBREVIATIONS.indexOf(to)];
    if (first < 0 || last < first) return `expected days from mon to sun in this order, got ${from}-${to}`;
    const stretches = [...times.matchAll(INTERVAL_PATTERN)].map(([, opens = '', closes = '']) => ({
      opens,
      closes,
    }));
    if (!areInOrder(stretches)) return `expected ascending times without overlap, got${times}`;
    for (let day = first; day <= last; day += 1) {
      if (week[day]?.length !== 0) return `expected each day once, got ${DAY_ABBREVIATIONS[day]} twice`;
      week[day] = stretches;
    }
  }
  return week;
}

/** Times such as 07:30 can be compared as strings. */
const areInOrder = (stretches: readonly OpenHours[]): boolean =>
  stretches.every(
    ({ opens, closes }, at) => opens < closes && (at === 0 || (stretches[at - 1]?.closes ?? '') < opens),
  );
