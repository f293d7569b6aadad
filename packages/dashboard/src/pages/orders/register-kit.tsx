import { Button, Group, Modal, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { tellDone } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import type { Order } from './order-data.ts';

interface RegisterKitProps {
  readonly order: Order;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const FIELDS = [
  { name: 'first_name', label: 'First name' },
  { name: 'last_name', label: 'Last name' },
  { name: 'dob', label: 'Date of birth', type: 'date' },
  { name: 'phone_number', label: 'Phone', type: 'tel' },
  { name: 'email', label: 'E-mail', type: 'email' },
  { name: 'first_line', label: 'Street and number' },
  { name: 'city', label: 'City' },
  { name: 'state', label: 'State' },
  { name: 'zip', label: 'ZIP code' },
] as const;
type FieldName = (typeof FIELDS)[number]['name'];

const startOf = ({
  patient_details: patient,
  patient_address: address,
}: Order): Record<FieldName, string> => ({
  first_name: patient?.first_name ?? '',
  last_name: patient?.last_name ?? '',
  dob: patient?.dob.slice(0, 10) ?? '',
  phone_number: patient?.phone_number ?? '',
  email: patient?.email ?? '',
  first_line: address?.first_line ?? '',
  city: address?.city ?? '',
  state: address?.state ?? '',
  zip: address?.zip ?? '',
});

/** Tells whose kit it is. The sample id on the kit finds the order. */
export function RegisterKit({ order, opened, onClose }: RegisterKitProps) {
  const queries = useQueryClient();
  const [sample, setSample] = useState(order.sample_id ?? '');
  const [gender, setGender] = useState<string | null>(order.patient_details?.gender ?? null);
  const [fields, setFields] = useState(startOf(order));
  const register = useMutation({
    mutationFn: () => {
      const { first_name, last_name, dob, phone_number, email, ...address } = fields;
      return client.POST('/v3/order/testkit/register', {
        body: {
          user_id: order.user_id,
          sample_id: sample,
          patient_details: {
            first_name,
            last_name,
            dob,
            phone_number,
            email,
            gender: gender as 'female' | 'male' | 'other' | 'unknown',
          },
          patient_address: { ...address, receiver_name: `${first_name} ${last_name}`, country: 'US' },
          consents: [{ consentType: 'terms-of-use', version: '1.0' }],
        },
      });
    },
    onSuccess: () => {
      tellDone('The kit is registered');
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    register.mutate();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Register kit" size="lg">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Sample id"
            description="Printed on the kit."
            value={sample}
            onChange={(event) => setSample(event.currentTarget.value)}
            required
            data-autofocus
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {FIELDS.map(({ name, label, ...more }) => (
              <TextInput
                key={name}
                label={label}
                {...more}
                value={fields[name]}
                onChange={(event) => setFields({ ...fields, [name]: event.currentTarget.value })}
                required
                autoComplete="off"
              />
            ))}
            <Select
              label="Gender"
              data={['female', 'male', 'other', 'unknown']}
              value={gender}
              onChange={setGender}
              required
            />
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            By registering you confirm that the patient agreed to the terms of use.
          </Text>
          {register.error && <ErrorNotice error={register.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={register.isPending}>
              Register
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
