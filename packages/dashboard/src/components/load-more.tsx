import { Button, Center } from '@mantine/core';

interface LoadMoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** The next page of a list with a cursor. */
export const LoadMore = ({ query }: LoadMoreProps) =>
  query.hasNextPage ? (
    <Center p="xs">
      <Button
        size="xs"
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Load more
      </Button>
    </Center>
  ) : null;
