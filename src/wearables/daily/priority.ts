/** What a source is chosen by: `StoredSource` has it. */
export interface Ranked {
  readonly id: number;
  readonly provider: string;
  readonly type: string;
  readonly workoutId: string | null;
}

/**
 * Kinds of source, the best first: what is worn counts more than what lies in a pocket, what measures more than what
 * is typed in. A kind that is not here comes before `app`: it is a device of some sort.
 */
// prettier-ignore
const KINDS = [
  'watch', 'ring', 'chest_strap', 'earphone', 'multiple_sources', 'exercise_machine', 'phone', 'scale', 'automatic',
];
// prettier-ignore
const LAST_KINDS = ['unknown', 'app', 'manual_scan', 'fingerprick', 'cuff', 'lab', 'insulin_pump'];

/**
 * The sources in the order in which they count: providers as the team put them (`sourceOrder` of the provider
 * settings), the others after them; then by kind; of one kind and provider what was measured in a workout first, which
 * is finer; then by name and age, so that the order is the same every time.
 */
export function inPriority<S extends Ranked>(providers: readonly string[], sources: readonly S[]): S[] {
  const place = new Map(providers.map((provider, index) => [provider, index]));
  const ranks = (source: S): readonly number[] => [
    place.get(source.provider) ?? providers.length,
    rankOf(source.type),
    source.workoutId === null ? 1 : 0,
  ];
  return sources.toSorted(
    (one, other) =>
      firstDifference(ranks(one), ranks(other)) ||
      compareText(one.provider, other.provider) ||
      one.id - other.id,
  );
}

function rankOf(type: string): number {
  const [known, late] = [KINDS.indexOf(type), LAST_KINDS.indexOf(type)];
  if (known !== -1) return known;
  return KINDS.length + late + 1;
}

function firstDifference(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((rank, i) => rank !== other[i]);
  return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
