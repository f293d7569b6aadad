import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { deferrableUpdate } from '../../platform/db/update-row.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { defer, type Work } from '../../platform/work.ts';
import { findUserByEmail, getUser, type User } from '../../users/users/users.ts';
import { getStandardTestkit } from '../catalog/catalog.ts';
import { findOrderLabAccount } from './account.ts';
import type { RegisterTestkit } from './commands.ts';
import { advanceOrder, amendOrder } from './orders.ts';
import { dateConsents, factsOf, type Order, type OrderPrivate } from './order.ts';
import { insertOrder, unknownPatient } from './insert-order.ts';
import { lockNames, storeLockedName } from './name-store.ts';
import { patientNameOf } from './names.ts';
import { requireEligiblePatient } from './patient-rules.ts';
import { serializePhysician, requirePhysician, type WarningReporter } from './physicians.ts';
import { canMove } from './status.ts';
import { lockOrder } from './row-store.ts';
import { isSampleIdTaken, lockSampleId } from './sample-store.ts';
import * as reading from './read-store.ts';
import type * as store from './store.ts';

/**
 * Registers a kit to a patient by its sample id: 404 for an unknown kit, 400 if it is already registered. A kit in
 * transit is registered without changing its step. The ordering rules about patients and physicians are checked here,
 * because the patient is known only now.
 */
export async function registerTestkit(
  work: Work,
  command: RegisterTestkit,
  warn: WarningReporter,
): Promise<Order> {
  await requireEligiblePatient(work, command.patient_details, 'testkit');
  // Of two concurrent registrations of one kit, the second waits here and then sees the first.
  await lockSampleId(work, command.sample_id);
  const named = await reading.findOrderBySampleId(work, command.sample_id);
  // Waits for a concurrent tracking update.
  const sent = named && (await lockOrder(work, named.id));
  const user = await resolveRegistrant(work, command, sent);
  const kit = sent ?? (await createSandboxKit(work, command, user));
  if (kit.registered_at !== null) throw alreadyRegisteredError(command);
  if (!kit.registrable)
    throw new DomainError(
      'bad_request',
      `Kit ${command.sample_id} was sent to a known patient; it needs no registration`,
    );
  const owned = kit.user_id === user.id ? kit : assignKit(work, kit, user);
  const account = await findOrderLabAccount(work, owned);
  const { physician } = command;
  await requirePhysician(work, { account, labSlug: owned.lab_slug, physician, warn });
  return register(work, owned, command);
}

/**
 * A kit may be registered by another user of the team than the one it was ordered for: the registration decides whose
 * results it brings. The order is written with the registration, its transaction here.
 */
function assignKit(work: Work, kit: Order, user: User): Order {
  if (kit.siblings.length > 1)
    throw new DomainError(
      'bad_request',
      `The kit ${kit.sample_id} replaces an earlier one of its user, so no other user can register it`,
    );
  const where = { ...tenantColumns(work.tenant), id: kit.transaction_id };
  defer(work, deferrableUpdate('order_transaction', { set: { user_id: user.id }, where }));
  return { ...kit, user_id: user.id, client_user_id: user.clientUserId };
}

/**
 * The user in the request, else the one with the patient's e-mail address, else the one whom the kit was ordered for.
 */
async function resolveRegistrant(
  work: Work,
  command: RegisterTestkit,
  kit: Order | undefined,
): Promise<User> {
  if (command.user_id != null) return getUser(work, command.user_id);
  const byEmail = await findUserByEmail(work, command.patient_details.email);
  if (byEmail) return byEmail;
  if (kit) return getUser(work, kit.user_id);
  throw invalidField(['body', 'user_id'], 'required, because no user of the team has this e-mail address');
}

const alreadyRegisteredError = ({ sample_id: sampleId }: RegisterTestkit) =>
  new DomainError('bad_request', `Kit ${sampleId} is already registered`);

/**
 * In sandbox, an unknown sample id stands for a kit that was handed out in person: registering it creates its order. A
 * sample id that belongs to a deleted user's kit is still taken.
 */
async function createSandboxKit(work: Work, command: RegisterTestkit, user: User): Promise<Order> {
  if (work.tenant.environment === 'production') return requireFound<Order>(undefined, 'Test kit');
  const test = await getStandardTestkit(work);
  if (await isSampleIdTaken(work, { labId: test.lab.id, sampleId: command.sample_id }))
    throw alreadyRegisteredError(command);
  return insertOrder(work, {
    test,
    clientUserId: user.clientUserId,
    people: unknownPatient,
    row: { user_id: user.id, registrable: true, sample_id: command.sample_id, leg: 'customer' },
  });
}

async function register(work: Work, kit: Order, command: RegisterTestkit): Promise<Order> {
  const { patient_details: patient, patient_address: address, physician } = command;
  const people: OrderPrivate = {
    ...kit.private,
    patient,
    address,
    consents: dateConsents(work.now, command.consents),
  };
  const name = patientNameOf(people);
  const changes: store.OrderChanges = {
    user_id: kit.user_id,
    registered_at: work.now,
    private: people,
    patient_name_id: storeLockedName(work, await lockNames(work, [name]), name),
    ...(physician ? { physician: serializePhysician(physician) } : {}),
  };
  const waiting =
    kit.step === 'ordered' ? await advanceOrder(work, kit, { to: 'awaiting_registration' }) : kit;
  if (canMove({ ...factsOf(waiting), registered: true }, 'testkit_registered')) {
    return advanceOrder(work, waiting, { to: 'testkit_registered', changes });
  }
  if (!IN_TRANSIT_STEPS.has(waiting.step)) {
    throw new DomainError('bad_request', `A kit at ${waiting.step} cannot be registered`);
  }
  return amendOrder(work, waiting, changes);
}

const IN_TRANSIT_STEPS = new Set(['transit_customer', 'problem_in_transit_customer', 'out_for_delivery']);
