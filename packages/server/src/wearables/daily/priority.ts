/** The properties that a source is ranked by; a subset of StoredSource. */
export interface RankableSource {
  readonly id: number;
  readonly provider: string;
  readonly type: string;
  readonly workoutId: string | null;
}

/**
 * Source types, best first: worn devices before those in a pocket, measured values before typed ones. Types in neither
 * list rank between the two: they are devices of some kind.
 */
// prettier-ignore
const RANKED_TYPES = [
  'watch', 'ring', 'chest_strap', 'earphone', 'multiple_sources', 'exercise_machine', 'phone', 'scale', 'automatic',
];
// prettier-ignore
const LOW_RANKED_TYPES = ['unknown', 'app', 'manual_scan', 'fingerprick', 'cuff', 'lab', 'insulin_pump'];

/**
 * Sorts sources by priority: first by the team's order of providers (`getSourceOrder` of the provider settings), with
 * unlisted providers last; then by type; then samples of a workout first, because they are finer; then by provider and
 * id, so that the order is deterministic.
 */
export function sortByPriority<S extends RankableSource>(
  providers: readonly string[],
  sources: readonly S[],
): S[] {
  const place = new Map(providers.map((provider, index) => [provider, index]));
  const ranks = (source: S): readonly number[] => [
    place.get(source.provider) ?? providers.length,
    rankType(source.type),
    source.workoutId === null ? 1 : 0,
  ];
  return sources.toSorted(
    (one, other) =>
      firstDifference(ranks(one), ranks(other)) ||
      compareText(one.provider, other.provider) ||
      one.id - other.id,
  );
}

function rankType(type: string): number {
  const [known, late] = [RANKED_TYPES.indexOf(type), LOW_RANKED_TYPES.indexOf(type)];
  if (known !== -1) return known;
  return RANKED_TYPES.length + late + 1;
}

function firstDifference(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((rank, i) => rank !== other[i]);
  return index === -1 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
