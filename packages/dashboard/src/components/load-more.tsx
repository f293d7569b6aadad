import { Button, Group } from '@mantine/core';

interface LoadMoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** The next page of a list by cursor. */
export const LoadMore = ({ query }: LoadMoreProps) =>
  query.hasNextPage && (
    <Group justify="center">
      <Button
        variant="default"
        size="xs"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Load more
      </Button>
    </Group>
  );

/** How a list by cursor is asked for with `api.useInfiniteQuery`. */
export const BY_CURSOR = {
  pageParamName: 'next_cursor',
  /** Not undefined, for which the library would send 0. */
  initialPageParam: null as string | null,
  getNextPageParam: (page: { readonly next_cursor?: string | null }) => page.next_cursor ?? undefined,
} as const;
