import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useSignOut } from '../../base/sign-out.ts';

/** For a member without a role. */
export function Page() {
  const signOut = useSignOut();
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack align="center" maw={420}>
        <Title order={1}>You have no team yet</Title>
        <Text ta="center">
          Ask an administrator of your organization to give you a role in a team, then sign in again.
        </Text>
        <Button variant="default" onClick={() => void signOut()}>
          Sign out
        </Button>
      </Stack>
    </Center>
  );
}
