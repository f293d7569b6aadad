import { PatientAddress, PatientDetailsWithValidation } from '../../people/schema.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { findDemographics, getUser, type User } from '../../users/users.ts';
import { listLabs, resolveOrderSet, type Lab, type LabTest } from '../catalog/catalog.ts';
import { isSampleTaken, type Incoming } from '../incoming-results/incoming-results.ts';
import { listActiveAccounts } from '../lab-accounts/lab-accounts.ts';
import { insertOrder, type Order, type Placing } from '../orders/orders.ts';

const refused = (detail: string) => new DomainError('bad_request', detail);

/**
 * An order for a result that has none, as an import makes it: the laboratory has it already, nothing is requested. Its
 * tests are those that the report answers, and its patient is the user as we know them. 400 where the user's
 * demographics or one of the tests are not known, with what to do instead.
 */
export async function orderFor(work: Work, review: Incoming, userId: string): Promise<Order> {
  const user = await getUser(work, userId);
  const [test, people, account] = await Promise.all([
    testOf(work, review),
    peopleOf(work, user),
    accountOf(work, review),
  ]);
  const [sampleId] = review.report.sampleIds;
  const isFree = sampleId !== undefined && !(await isSampleTaken(work, { labId: test.lab.id, sampleId }));
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people,
    row: {
      user_id: user.id,
      registrable: false,
      step: 'requisition_bypassed',
      sample_id: isFree ? sampleId : null,
      lab_account_id: account,
    },
  });
}

async function testOf(work: Work, { report }: Incoming): Promise<LabTest> {
  const labs = await listLabs(work);
  const lab = labs.find(({ slug }) => slug === report.lab);
  const codes = [
    ...new Set(report.observations.map(({ test }) => test.code).filter((code) => code !== null)),
  ];
  if (!lab || codes.length === 0)
    throw refused(`The report names no test of ${report.lab}: give an order_id`);
  try {
    return await resolveOrderSet(work, {
      labSlug: lab.slug,
      addOn: { providerIds: codes },
      collectionMethod: methodOf(lab),
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refused(`No order can be made of the tests of the report (${error.message}): give an order_id`);
  }
}

/** A sample that nobody sent a kit or a phlebotomist for was given at the laboratory, where it has places for that. */
const methodOf = ({ collectionMethods }: Lab): string =>
  collectionMethods.find((method) => method === 'walk_in_test') ?? collectionMethods[0] ?? 'walk_in_test';

async function peopleOf(work: Work, user: User): Promise<Placing['people']> {
  const known = await findDemographics(work, user.id);
  if (!known)
    throw refused(`Nothing is known of user ${user.id}: give their demographics first, or an order_id`);
  const patient = PatientDetailsWithValidation.safeParse(known);
  const address = PatientAddress.safeParse(known.address);
  const [issue] = [patient, address].flatMap(({ error }) => error?.issues ?? []);
  if (!patient.success || !address.success) {
    throw refused(
      `What is known of user ${user.id} does not make a patient (${issue?.path.join('.')}): give an order_id`,
    );
  }
  return {
    patient: patient.data,
    address: address.data,
    shipping: null,
    clinicalNotes: null,
    aoeAnswers: [],
    consents: [],
  };
}

/** The team's account that the report names. */
async function accountOf(work: Work, { report }: Incoming): Promise<string | null> {
  const accounts = await listActiveAccounts(work);
  const named = accounts.find(
    (account) => account.labSlug === report.lab && account.providerAccountId === report.accountNumber,
  );
  return named?.id ?? null;
}
