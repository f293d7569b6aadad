import { Text } from '@mantine/core';
import { PageFrame } from '../../components/page.tsx';

export function Page() {
  return (
    <PageFrame title="Home">
      <Text>Nothing needs you now.</Text>
    </PageFrame>
  );
}
