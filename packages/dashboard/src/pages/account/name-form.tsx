import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { tellDone } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { OwnNameInput } from '../../components/own-name-input.tsx';

/** Changes how other members and the logs name you. */
export function NameForm({ name: known }: { readonly name: string }) {
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState(known);
  const submit = async () => {
    await client.PATCH('/v1/account', { body: { name: name.trim() } });
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    tellDone('Your name is changed.');
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          setName(known);
          setOpen(true);
        }}
      >
        Change your name
      </Button>
      {isOpen && (
        <FormDialog
          title="Change your name"
          action="Save"
          changes={[]}
          onClose={() => setOpen(false)}
          onSubmit={submit}
        >
          <OwnNameInput
            label="Name"
            description="As other members and the logs show it."
            value={name}
            onChange={setName}
          />
        </FormDialog>
      )}
    </>
  );
}
