import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { IconPlay } from '../../base/icons.ts';
import { useGoTo } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';

/** An invented person at an address whose surroundings have laboratories and visits. */
const SAMPLE = {
  first_name: 'Robin',
  last_name: 'Sample',
  email: 'robin.sample@example.com',
  phone_number: '+16025550147',
  gender: 'female',
  dob: '1988-05-17',
  address: {
    first_line: '123 Main Street',
    second_line: null,
    city: 'Phoenix',
    state: 'AZ',
    zip: '85004',
    country: 'US',
  },
};

interface MakeSampleUserProps {
  /** Without it, the page of the user opens. */
  readonly onMade?: (userId: string) => void;
}

/** A user with demographics and a month of device data, so that every tab has something to show. */
export function MakeSampleUser({ onMade }: MakeSampleUserProps) {
  const goTo = useGoTo();
  const queries = useQueryClient();
  const make = useMutation({
    mutationFn: async () => {
      const suffix = crypto.randomUUID().slice(0, 8);
      const { data: user } = await client.POST('/v2/user', { body: { client_user_id: `sample-${suffix}` } });
      if (!user) throw new Error('The service answered without the user');
      const params = { path: { user_id: user.user_id } };
      await client.PATCH('/v2/user/{user_id}/info', { params, body: SAMPLE });
      await client.POST('/v2/link/connect/demo', { body: { user_id: user.user_id, provider: 'oura' } });
      return user.user_id;
    },
    onSuccess: async (userId) => {
      await queries.invalidateQueries({ queryKey: ['get', '/v2/user'] });
      tellDone('The sample user is made');
      if (onMade) onMade(userId);
      else goTo(`users/${userId}`);
    },
    onError: tellError,
  });
  return (
    <Button
      variant="default"
      leftSection={<IconPlay size={16} />}
      loading={make.isPending}
      onClick={() => make.mutate()}
    >
      Make a sample user
    </Button>
  );
}
