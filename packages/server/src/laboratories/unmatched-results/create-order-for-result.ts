import { PatientAddress, PatientDetailsWithValidation } from '../../people/schema.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { findDemographics, getUser, type User } from '../../users/users/users.ts';
import { listLabs, resolveOrderSet, type Lab, type LabTest } from '../../ordering/catalog/catalog.ts';
import { isSampleIdAssigned, type IncomingResult } from '../incoming-results/incoming-results.ts';
import { listActiveAccounts } from '../../ordering/lab-accounts/lab-accounts.ts';
import { insertOrder, type Order, type OrderPlacement } from '../../ordering/orders/orders.ts';

const badRequest = (detail: string) => new DomainError('bad_request', detail);

/**
 * Creates an order for a result that has none, like an import: nothing is requested from the laboratory. Its tests are
 * those that the report answers; its patient comes from the user's stored demographics. 400 where the demographics or a
 * test are unknown.
 */
export async function createOrderForResult(
  work: Work,
  review: IncomingResult,
  userId: string,
): Promise<Order> {
  const user = await getUser(work, userId);
  const [test, people, account] = await Promise.all([
    resolveTest(work, review),
    loadOrderPeople(work, user),
    findAccountId(work, review),
  ]);
  const [sampleId] = review.report.sampleIds;
  const isFree =
    sampleId !== undefined && !(await isSampleIdAssigned(work, { labId: test.lab.id, sampleId }));
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

async function resolveTest(work: Work, { report }: IncomingResult): Promise<LabTest> {
  const labs = await listLabs(work);
  const lab = labs.find(({ slug }) => slug === report.lab);
  const codes = [
    ...new Set(report.observations.map(({ test }) => test.code).filter((code) => code !== null)),
  ];
  if (!lab || codes.length === 0)
    throw badRequest(`The report names no test of ${report.lab}: pass an order_id instead`);
  try {
    return await resolveOrderSet(work, {
      labSlug: lab.slug,
      addOn: { providerIds: codes },
      collectionMethod: defaultCollectionMethod(lab),
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw badRequest(
      `Cannot create an order for the tests of the report (${error.message}): pass an order_id instead`,
    );
  }
}

/** Without a kit or a phlebotomist, the sample was collected at the laboratory, if it has walk-in sites. */
const defaultCollectionMethod = ({ collectionMethods }: Lab): string =>
  collectionMethods.find((method) => method === 'walk_in_test') ?? collectionMethods[0] ?? 'walk_in_test';

async function loadOrderPeople(work: Work, user: User): Promise<OrderPlacement['people']> {
  const known = await findDemographics(work, user.id);
  if (!known) throw badRequest(`User ${user.id} has no demographics: set them first, or pass an order_id`);
  const patient = PatientDetailsWithValidation.safeParse(known);
  const address = PatientAddress.safeParse(known.address);
  const [issue] = [patient, address].flatMap(({ error }) => error?.issues ?? []);
  if (!patient.success || !address.success) {
    throw badRequest(
      `The demographics of user ${user.id} are not valid for a patient (${issue?.path.join('.')}): pass an order_id`,
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

/** The team's laboratory account that the report names. */
async function findAccountId(work: Work, { report }: IncomingResult): Promise<string | null> {
  const accounts = await listActiveAccounts(work);
  const named = accounts.find(
    (account) => account.labSlug === report.lab && account.providerAccountId === report.accountNumber,
  );
  return named?.id ?? null;
}
