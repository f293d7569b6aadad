import { z } from 'zod';

/** The kinds of results, in the order of the answer. */
export const SEARCH_KINDS = ['user', 'order', 'lab_test', 'marker', 'endpoint'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

const QUERY_MAX = 100;
const LIMIT_MAX = 10;

export const SearchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(2)
    .max(QUERY_MAX)
    .refine((text) => !text.includes('\0'), 'expected text without NUL characters'),
  limit: z.int().min(1).max(LIMIT_MAX).default(5).describe('The most results of each kind.'),
});

export const SearchResultView = z
  .object({
    kind: z.enum(SEARCH_KINDS),
    id: z.string(),
    title: z
      .string()
      .describe(
        'A user: the name, or client_user_id where no name is known. An order: the name of its lab test. An endpoint: ' +
          'its URL. Others: their name.',
      ),
    detail: z
      .string()
      .nullable()
      .describe(
        'A user: client_user_id. An order: its status. A lab test or marker: the slug of its laboratory. An endpoint: ' +
          '`disabled`, or null.',
      ),
    user_id: z.uuid().nullable().describe('Of an order: its user.'),
  })
  .meta({ id: 'SearchResult' });
export type SearchResultView = z.input<typeof SearchResultView>;

export const SearchResultsView = z
  .object({
    data: z.array(SearchResultView),
    searched: z.array(z.enum(SEARCH_KINDS)).describe('The kinds that the caller may read.'),
  })
  .meta({ id: 'SearchResults' });
