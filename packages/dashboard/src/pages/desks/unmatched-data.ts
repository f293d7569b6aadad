import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

export type Unmatched = components['schemas']['UnmatchedResult'];
type Candidate = Unmatched['candidate_groups'][number]['candidates'][number];
export type Order = components['schemas']['ClientFacingOrder'];

/** `waiting` is what the API lists without a status. */
export type View = 'waiting' | 'resolved' | 'matched';

export const useUnmatchedResults = (view: View) =>
  useInfiniteQuery({
    queryKey: ['get', '/v3/unmatched_result', { view }],
    queryFn: async ({ pageParam }) => {
      const { data } = await client.GET('/v3/unmatched_result', {
        params: {
          query: {
            limit: 50,
            ...(view === 'waiting' ? {} : { status: view }),
            ...(pageParam === null ? {} : { next_cursor: pageParam }),
          },
        },
      });
      return data ?? { data: [], next_cursor: null };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export interface CandidateOrder extends Candidate {
  readonly order_id: string;
  readonly userId: string | null;
}

const LEVELS: Readonly<Record<string, number>> = { high: 3, medium: 2, low: 1 };

/** The candidates that are orders, the likeliest first: the named one, then by shared tests, then by the patient. */
export function candidatesOf({ candidate_groups: groups }: Unmatched): CandidateOrder[] {
  const all = groups.flatMap(({ user_id: userId, candidates }) =>
    candidates.flatMap((one) => (one.order_id === null ? [] : [{ ...one, order_id: one.order_id, userId }])),
  );
  const rank = (one: CandidateOrder): number =>
    (one.candidate_type === 'provenance_order' ? 1000 : 0) +
    sharedTests(one) * 10 +
    (LEVELS[one.confidence_level] ?? 0) +
    (one.confidence_score ?? 0);
  return all.toSorted((a, b) => rank(b) - rank(a));
}

export const sharedTests = ({ marker_overlap: overlap }: Candidate): number =>
  Number(overlap?.['shared'] ?? 0);

/** One line of the comparison: what the report says, what the order says, and whether they differ. */
interface Comparison {
  readonly name: string;
  readonly report: string;
  readonly order: string;
  readonly isDifferent: boolean;
}

const nameOf = (person: { first_name: string | null; last_name: string | null } | null): string =>
  [person?.first_name, person?.last_name].filter(Boolean).join(' ');

const normalized = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

export function compare(report: Unmatched, order: Order, candidate: Candidate): Comparison[] {
  const line = (name: string, reported: string, ordered: string): Comparison => ({
    name,
    report: reported,
    order: ordered,
    isDifferent: normalized(reported) !== normalized(ordered),
  });
  const reportedTests = report.tests.map(({ name, provider_id: code }) => name ?? code ?? 'unknown');
  const overlap = candidate.marker_overlap;
  return [
    line('First name', report.patient?.first_name ?? '', order.patient_details?.first_name ?? ''),
    line('Last name', report.patient?.last_name ?? '', order.patient_details?.last_name ?? ''),
    line('Born', report.patient?.dob?.slice(0, 10) ?? '', order.patient_details?.dob.slice(0, 10) ?? ''),
    line('Laboratory', report.lab.name, order.lab_test.lab?.name ?? ''),
    {
      name: 'Tests',
      report: reportedTests.join(', '),
      order: `${order.lab_test.name}: ${Number(overlap?.['shared'] ?? 0)} of its ${Number(overlap?.['ordered'] ?? 0)} tests are in the report`,
      isDifferent: sharedTests(candidate) === 0,
    },
  ];
}

export const reportTitle = (report: Unmatched): string => nameOf(report.patient) || 'Nobody is named';
