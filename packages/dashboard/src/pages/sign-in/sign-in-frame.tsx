import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

interface SignInFrameProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly lead?: string;
  readonly children: ReactNode;
}

/** The frame of every page that is shown before someone is signed in. */
export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  useEffect(() => {
    document.title = `${title} · Aliquot`;
  }, [title]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w={400} maw="100%" gap="sm">
        <Text fw={700} size="lg" ta="center">
          Aliquot
        </Text>
        <Paper p={{ base: 'md', xs: 'xl' }} shadow="sm">
          <Stack>
            <div>
              <Title order={1}>{title}</Title>
              {lead !== undefined && (
                <Text size="sm" c="dimmed" mt={4}>
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
