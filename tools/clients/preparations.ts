import { FILE } from './sdk.ts';
import * as objects from './objects.ts';
import type { Prepare } from './preparation.ts';
import {
  order,
  completed,
  transaction,
  labTest,
  newUser,
  userIds,
  team,
  lab,
  booking,
  rebooking,
  cancelling,
  booked,
  linkToken,
  continuousQuery,
  unmatched,
  orderSet,
} from './prepare.ts';
import { ADDRESS, PHYSICIAN } from './world.ts';

/** What a call of an operation needs that its example has not. */
export const PREPARATIONS: Readonly<Record<string, Prepare>> = {
  'POST /v2/link/bulk_trigger_historical_pull': userIds,
  'POST /v2/link/bulk_pause': userIds,
  'POST /v2/link/bulk_import': async (world) => ({
    values: { user_id: await objects.createUser(world), provider: 'oura', expires_at: 1_900_000_000 },
  }),
  'POST /v2/link/bulk_export': () => ({ values: { provider: 'oura' } }),
  'POST /v2/link/code/create': async (world) => ({
    values: { user_id: await objects.createUser(world) },
    without: ['expires_at'],
  }),
  'POST /v2/link/connect/demo': async (world) => ({
    values: { user_id: await objects.createUser(world), provider: 'oura' },
  }),
  'GET /v2/link/provider/oauth/{oauth_provider}': linkToken({ oauth_provider: 'oura' }),
  'GET /v2/link/providers': linkToken(),
  'GET /v2/link/state': linkToken(),
  'GET /v2/team/link/config': linkToken(),
  'POST /v2/link/token/isValid': linkToken(),
  'POST /v2/link/start': linkToken({ provider: 'oura' }),
  'POST /v2/link/auth': linkToken({ provider: 'whoop' }),
  'POST /v2/link/auth/email': linkToken({ provider: 'freestyle_libre' }),
  'POST /v2/link/provider/password/{provider}/complete_mfa': linkToken({ provider: 'whoop' }),
  'POST /v2/link/provider/password/{provider}': linkToken({ provider: 'whoop' }),
  'POST /v2/link/provider/email/{provider}': linkToken({ provider: 'freestyle_libre' }),
  'POST /v2/link/provider/manual/{phone_provider}': async (world) => ({
    values: { user_id: await objects.createUser(world), provider: 'beurer_ble' },
  }),
  'GET /v2/timeseries/workouts/{workout_id}/stream': async (world) => ({
    values: { workout_id: await objects.someSummary(world, 'workouts') },
  }),
  'GET /v2/timeseries/sleep/{sleep_id}/stream': async (world) => ({
    values: { sleep_id: await objects.someSummary(world, 'sleep') },
  }),
  'DELETE /v2/user/{user_id}': newUser,
  'DELETE /v2/user/{user_id}/{provider}': async (world) => {
    const user = await objects.createUser(world);
    await world.api.post('/v2/link/connect/demo', { user_id: user, provider: 'oura' });
    return { values: { user_id: user, provider: 'oura' } };
  },
  'GET /v2/user/resolve/{client_user_id}': async (world) => ({
    values: { client_user_id: (await world.api.get(`/v2/user/${world.userId}`)).client_user_id },
  }),
  'POST /v2/user': () => ({ values: { client_user_id: `sdk-${Date.now()}` } }),
  'PATCH /v2/user/{user_id}': async (world) => ({
    values: { user_id: await objects.createUser(world) },
    added: { fallback_time_zone: 'Europe/London' },
  }),
  'GET /v2/user/{user_id}/info/latest': async (world) => ({
    values: { user_id: await objects.knownUser(world) },
  }),
  'GET /v2/user/{user_id}/insurance/latest': async (world) => ({
    values: { user_id: await objects.insuredUser(world) },
  }),
  'POST /v2/user/{user_id}/insurance': async (world) => ({
    values: {
      user_id: await objects.createUser(world),
      payor_code: await objects.payorCode(world),
      member_id: 'M-1',
    },
  }),
  'POST /v2/user/undo_delete': async (world) => {
    const user_id = await objects.createUser(world);
    await world.api.delete(`/v2/user/${user_id}`);
    return { added: { user_id }, without: ['client_user_id'] };
  },
  'POST /v2/user/refresh/{user_id}': () => ({ values: { timeout: 10 } }),
  'GET /v2/user/{user_id}/device/{device_id}': async (world) => ({
    values: { device_id: await objects.someDevice(world) },
  }),
  'GET /v2/team/{team_id}': team,
  'GET /v2/team/{team_id}/physicians': team,
  'GET /v2/team/users/search': () => ({ values: { query_id: 'client' } }),
  'POST /v3/lab_tests': async (world) => ({
    values: { method: 'walk_in_test' },
    added: { marker_ids: [(await objects.marker(world)).id] },
  }),
  'GET /v3/lab_tests/{lab_test_id}': labTest,
  'PATCH /v3/lab_tests/{lab_test_id}': async (world) => ({
    ...(await labTest(world)),
    added: { name: 'Renamed' },
  }),
  'GET /v3/lab_tests/{lab_test_id}/markers': labTest,
  'GET /v3/lab_test/{lab_test_id}/collection_instruction_pdf': async (world) => ({
    values: { lab_test_id: (await objects.findLabTest(world, 'testkit')).id },
  }),
  'POST /v3/lab_tests/list_order_set_markers': async (world) => {
    const lab_test_ids = [(await objects.findLabTest(world, 'walk_in_test', 'quest')).id];
    return { values: { body: { lab_test_ids }, request: { lab_test_ids } }, added: { lab_test_ids } };
  },
  'GET /v3/lab_tests/{lab_id}/markers/{provider_id}': async (world) => ({
    values: { lab_id: await objects.questId(world), provider_id: (await objects.marker(world)).provider_id },
    positional: [(await objects.marker(world)).provider_id, await objects.questId(world)],
  }),
  'GET /v3/lab_tests/markers': async (world) => ({ values: { lab_id: [await objects.questId(world)] } }),
  'GET /v3/orders': () => ({ without: ['order_ids', 'order_transaction_id', 'user_id'] }),
  'GET /v3/order/psc/info': lab,
  'POST /v3/order/phlebotomy/appointment/availability': () => ({ without: ['start_date'] }),
  'POST /v3/order/psc/appointment/availability': () => ({
    added: { zip_code: '94104' },
    without: ['start_date', 'site_codes'],
  }),
  'POST /v3/order/{order_id}/phlebotomy/appointment/book': booking('phlebotomy'),
  'POST /v3/order/{order_id}/phlebotomy/appointment/request': async (world) => ({
    values: {
      order_id: (
        await objects.createOrder(world, { method: 'at_home_phlebotomy', status: 'requisition_created' })
      ).id,
      provider: 'phlebfinders',
    },
  }),
  'PATCH /v3/order/{order_id}/phlebotomy/appointment/reschedule': rebooking('phlebotomy'),
  'PATCH /v3/order/{order_id}/phlebotomy/appointment/cancel': cancelling('phlebotomy'),
  'GET /v3/order/{order_id}/phlebotomy/appointment': booked('phlebotomy'),
  'POST /v3/order/{order_id}/psc/appointment/book': booking('psc'),
  'PATCH /v3/order/{order_id}/psc/appointment/reschedule': rebooking('psc'),
  'PATCH /v3/order/{order_id}/psc/appointment/cancel': cancelling('psc'),
  'GET /v3/order/{order_id}/psc/appointment': booked('psc'),
  'GET /v3/order/{order_id}/psc/info': order('walk_in_test', 'requisition_created'),
  'GET /v3/order/{order_id}/result': completed,
  'GET /v3/order/{order_id}/result/pdf': completed,
  'GET /v3/order/{order_id}/result/metadata': completed,
  'GET /v3/order/{order_id}/labels/pdf': order('on_site_collection', 'requisition_created'),
  'GET /v3/order/{order_id}/collection_instruction_pdf': order('testkit'),
  'GET /v3/order/{order_id}/requisition/pdf': order('walk_in_test', 'requisition_created'),
  'GET /v3/order/{order_id}/abn_pdf': order('walk_in_test', 'requisition_created'),
  'GET /v3/order/{order_id}': completed,
  'PATCH /v3/order/{order_id}': async (world) => ({
    values: {
      order_id: (
        await objects.createOrder(world, {
          method: 'walk_in_test',
          more: { activate_by: objects.dayFromNow(5) },
        })
      ).id,
    },
    added: { activate_by: objects.dayFromNow(9) },
  }),
  'POST /v3/order/{order_id}/cancel': order('walk_in_test'),
  'POST /v3/order/{order_id}/test': async (world) => ({
    values: {
      order_id: (await objects.createOrder(world, { method: 'walk_in_test' })).id,
      final_status: 'received.walk_in_test.requisition_created',
    },
  }),
  'PATCH /v3/order/{order_id}/draw_completed': order('on_site_collection', 'requisition_created'),
  'POST /v3/order': async (world) => ({
    values: { user_id: await objects.createUser(world) },
    added: {
      lab_test_id: (await objects.findLabTest(world, 'walk_in_test', 'quest')).id,
      physician: PHYSICIAN,
    },
  }),
  'POST /v3/order/import': async (world) => ({
    added: { ...(await orderSet(world)).added, physician: PHYSICIAN },
    values: {
      ...(await orderSet(world)).values,
      user_id: await objects.createUser(world),
      collection_method: 'walk_in_test',
      sample_id: `imported-${Date.now()}`,
    },
  }),
  'POST /v3/order/testkit': async (world) => ({
    values: {
      user_id: await objects.createUser(world),
      lab_test_id: (await objects.findLabTest(world, 'testkit')).id,
    },
  }),
  'POST /v3/order/testkit/register': async (world) => {
    const user_id = await objects.createUser(world);
    const shipping_details = {
      receiver_name: 'Ada Lovelace',
      ...ADDRESS,
      phone_number: '+14155550132',
    };
    const body = { user_id, lab_test_id: (await objects.findLabTest(world, 'testkit')).id, shipping_details };
    const kit = (await world.api.post('/v3/order/testkit', body)).order;
    return { values: { sample_id: kit.sample_id, user_id }, added: { user_id } };
  },
  'POST /v3/order/resend_events': async (world) => ({
    added: { order_ids: [(await objects.completedOrder(world)).id] },
  }),
  'GET /v3/order_transaction/{transaction_id}': transaction,
  'GET /v3/order_transaction/{transaction_id}/result': transaction,
  'GET /v3/order_transaction/{transaction_id}/result/pdf': transaction,
  'POST /v3/compendium/search_orderable_tests': async (world) => ({
    values: { provider_ids: [(await objects.marker(world)).provider_id] },
  }),
  'POST /v3/compendium/search': () => ({ added: { query: 'glucose' } }),
  'POST /v3/compendium/convert': async (world) => ({
    added: { lab_test_id: (await objects.findLabTest(world, 'walk_in_test', 'quest')).id },
  }),
  'GET /v3/insurance/search/payor': () => ({
    values: { insurance_name: 'aetna' },
    without: ['provider', 'provider_payor_id'],
  }),
  'POST /v3/insurance/search/payor': () => ({ added: { insurance_name: 'aetna' } }),
  'GET /v3/insurance/search/diagnosis': () => ({ values: { diagnosis_query: 'diabetes' } }),
  'POST /v3/insurance/validate_icd_codes': () => ({ values: { codes: ['E11.9'] } }),
  'POST /v3/payor': () => ({
    values: { name: 'A payor' },
    added: { provider_payor_id: `own-${Date.now()}` },
  }),
  'POST /lab_report/v1/parser/job': () => ({ added: { file: [FILE] } }),
  'GET /lab_report/v1/parser/job/{job_id}': async (world) => ({
    values: { job_id: await objects.reportJob(world) },
  }),
  'GET /v3/unmatched_result': () => ({
    values: { limit: 5 },
    without: ['decision_code', 'lab_slug', 'created_at_start', 'created_at_end'],
  }),
  'GET /v3/unmatched_result/{raw_result_id}': unmatched,
  'POST /v3/unmatched_result/{raw_result_id}/accept': async (world) => {
    const { id, candidate_groups: groups } = await objects.unmatchedResult(world);
    return { values: { raw_result_id: id }, added: { order_id: groups[0].candidates[0].order_id } };
  },
  'POST /v3/unmatched_result/{raw_result_id}/resolve': unmatched,
  'POST /aggregate/v1/user/{user_id}/query': () => ({
    values: {
      timeframe: {
        type: 'relative',
        anchor: new Date().toISOString().slice(0, 10),
        past: { unit: 'day', value: 7 },
      },
      queries: [{ select: [{ arg: { timeseries: 'heartrate', field: 'value' }, func: 'mean' }] }],
    },
  }),
  'GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/result_table': continuousQuery,
  'GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/task_history': continuousQuery,
};

/** Methods whose example cannot be called, so that it does not show the operation. */
export const OPERATIONS: Readonly<Record<string, string>> = {
  'lab_report.parser_create_job': 'POST /lab_report/v1/parser/job',
};
