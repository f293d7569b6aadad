import { api } from '../../api/client.ts';
import { useUrlState } from '../../base/url-state.ts';
import { useDemographics } from '../../components/demographics.ts';
import { PageFrame } from '../../components/page.tsx';
import { ErrorNotice, Loading } from '../../components/states.tsx';
import { UserStep } from './user-step.tsx';
import { Wizard } from './wizard.tsx';
import { WizardFrame } from './wizard-frame.tsx';

const BODY = {
  user_id: '…',
  lab_test_id: '…',
  patient_details: { first_name: '…', last_name: '…', dob: '…', gender: '…', phone_number: '…', email: '…' },
  patient_address: { first_line: '…', city: '…', state: '…', zip: '…', country: 'US' },
};

/** The URL has the step and the ids; what is entered about the patient stays in the memory of the page. */
export function Page() {
  const [{ user_id: userId }] = useUrlState();
  return (
    <PageFrame
      title="New order"
      parents={[{ title: 'Orders', path: 'orders' }]}
      calls={[{ title: 'Place an order', method: 'POST', path: '/v3/order', body: BODY }]}
    >
      {userId === undefined ? <WithoutUser /> : <WithUser key={userId} userId={userId} />}
    </PageFrame>
  );
}

function WithoutUser() {
  const [, setUrl] = useUrlState();
  return (
    <WizardFrame step="user" reached="user" onStep={() => undefined}>
      <UserStep
        userId={undefined}
        onChoose={(userId) => setUrl({ user_id: userId, step: 'test' }, { replace: false })}
      />
    </WizardFrame>
  );
}

function WithUser({ userId }: { readonly userId: string }) {
  const params = { path: { user_id: userId } };
  const user = api.useQuery('get', '/v2/user/{user_id}', { params });
  const info = useDemographics(userId);
  if (user.error) return <ErrorNotice error={user.error} onRetry={() => void user.refetch()} />;
  if (info.error) return <ErrorNotice error={info.error} onRetry={() => void info.refetch()} />;
  if (user.isPending || info.isPending) return <Loading />;
  return <Wizard user={user.data} info={info.data} />;
}
