import {
  MODALITIES,
  type OrderModality,
  type StatusDetail,
  type OrderStep,
} from '../ordering/orders/status.ts';

/** A step that a scenario passes through, with the data that it sets. */
export interface ScenarioStop {
  readonly to: OrderStep;
  readonly detail?: StatusDetail;
  readonly interpretation?: 'normal' | 'abnormal' | 'critical' | 'unknown';
  readonly missing?: boolean;
}

export interface SimulationScenario {
  readonly name: string;
  readonly title: string;
  readonly modality: OrderModality;
  readonly stops: readonly ScenarioStop[];
}

type ScenarioRow = readonly [name: string, title: string, ...stops: (OrderStep | ScenarioStop)[]];

/** The scenarios. Between two stops the order takes the shortest path, so rows list only the characteristic steps. */
// prettier-ignore
const SCENARIO_ROWS: Readonly<Record<OrderModality, readonly ScenarioRow[]>> = {
  testkit: [
    ['happy_path',            'The kit goes out, comes back, and the result is normal',   'completed'],
    ['abnormal_result',       'A result outside its range',                               { to: 'completed', interpretation: 'abnormal' }],
    ['critical_result',       'A critical result that needs immediate attention',         { to: 'completed', interpretation: 'critical' }],
    ['missing_results',       'The specimen was enough for some results only',            { to: 'completed', missing: true }],
    ['corrected_result',      'The laboratory takes back a normal result',                'completed', { to: 'corrected', interpretation: 'abnormal' }],
    ['slow_courier',          'Problems on both legs, but the order completes',           'problem_in_transit_customer', 'out_for_delivery', 'with_customer', 'problem_in_transit_lab', 'transit_lab', 'completed'],
    ['lost_in_mail',          'The kit is lost on its way out',                           'transit_customer', 'lost'],
    ['lost_on_way_back',      'The sample is lost on its way to the laboratory',          'transit_lab', 'lost'],
    ['delivery_failure',      'The kit cannot be delivered to the patient',               'out_for_delivery', 'failure_to_deliver_to_customer'],
    ['return_failure',        'The sample cannot be delivered to the laboratory',         'problem_in_transit_lab', 'failure_to_deliver_to_lab'],
    ['hemolyzed_sample',      'Red cells burst: the sample cannot be measured',           { to: 'sample_error', detail: 'sample_hemolyzed' }],
    ['insufficient_sample',   'Too little blood on the card',                             { to: 'sample_error', detail: 'sample_quantity_not_sufficient' }],
    ['contaminated_sample',   'The sample is contaminated',                               { to: 'sample_error', detail: 'sample_contaminated' }],
    ['expired_sample',        'The sample was too long on its way',                       { to: 'sample_error', detail: 'sample_stability_exceeded' }],
    ['improper_collection',   'The sample was collected wrongly',                         { to: 'sample_error', detail: 'sample_improper_collection' }],
    ['collection_date_missing', 'The laboratory waits for the date of collection, then completes', { to: 'lab_processing_blocked', detail: 'date_of_collection_unspecified' }, 'completed'],
    ['demographics_missing',  'The laboratory waits for the patient’s data, then completes', { to: 'lab_processing_blocked', detail: 'demographic_information_unspecified' }, 'completed'],
    ['demographics_mismatch', 'The sample has another patient’s name; the laboratory rejects it', { to: 'lab_processing_blocked', detail: 'demographic_information_mismatch' }, 'sample_error'],
    ['fulfillment_error',     'The kit was packed wrongly',                               { to: 'sample_error', detail: 'fulfillment_error' }],
    ['cancelled_by_patient',  'The patient cancels before the kit is sent',               'requisition_created', 'cancelled'],
    ['do_not_process',        'The order is stopped while the sample is on its way',      'transit_lab', 'do_not_process'],
  ],
  walk_in_test: [
    ['happy_path',            'The patient walks in, and the result is normal',           'completed'],
    ['with_appointment',      'An appointment is made, moved and kept',                   'appointment_pending', 'appointment_scheduled', 'appointment_scheduled', 'completed'],
    ['missed_appointment',    'The appointment is cancelled; the patient walks in anyway', 'appointment_scheduled', 'appointment_cancelled', 'completed'],
    ['abnormal_result',       'A result outside its range',                               { to: 'completed', interpretation: 'abnormal' }],
    ['critical_result',       'A critical result that needs immediate attention',         { to: 'completed', interpretation: 'critical' }],
    ['partial_then_complete', 'Results come in two parts, then all of them',              'partial_results', 'partial_results', 'completed'],
    ['missing_results',       'The specimen was enough for some results only',            { to: 'completed', missing: true }],
    ['redraw',                'The laboratory fails on some results and asks for another draw', 'partial_results', { to: 'redraw_available', missing: true }],
    ['corrected_result',      'The laboratory takes back a normal result',                'completed', { to: 'corrected', interpretation: 'abnormal' }],
    ['hemolyzed_sample',      'Red cells burst: the sample cannot be measured',           { to: 'sample_error', detail: 'sample_hemolyzed' }],
    ['insufficient_sample',   'Too little was drawn',                                     { to: 'sample_error', detail: 'sample_quantity_not_sufficient' }],
    ['cancelled_by_patient',  'The patient cancels before the visit',                     'requisition_created', 'cancelled'],
  ],
  at_home_phlebotomy: [
    ['happy_path',            'The phlebotomist comes, and the result is normal',         'completed'],
    ['rescheduled_visit',     'The visit is moved, and kept',                             'appointment_pending', 'appointment_scheduled', 'appointment_scheduled', 'completed'],
    ['missed_appointment',    'Nobody was at home; a second visit succeeds',              'appointment_scheduled', 'appointment_cancelled', 'appointment_scheduled', 'completed'],
    ['abnormal_result',       'A result outside its range',                               { to: 'completed', interpretation: 'abnormal' }],
    ['critical_result',       'A critical result that needs immediate attention',         { to: 'completed', interpretation: 'critical' }],
    ['partial_then_complete', 'Results come in two parts, then all of them',              'partial_results', 'partial_results', 'completed'],
    ['missing_results',       'The specimen was enough for some results only',            { to: 'completed', missing: true }],
    ['corrected_result',      'The laboratory takes back a normal result',                'completed', { to: 'corrected', interpretation: 'abnormal' }],
    ['hemolyzed_sample',      'Red cells burst: the sample cannot be measured',           { to: 'sample_error', detail: 'sample_hemolyzed' }],
    ['insufficient_sample',   'Too little was drawn',                                     { to: 'sample_error', detail: 'sample_quantity_not_sufficient' }],
    ['cancelled_by_patient',  'The patient cancels the visit that was agreed',            'appointment_scheduled', 'appointment_cancelled', 'cancelled'],
  ],
  on_site_collection: [
    ['happy_path',            'The sample is drawn at the clinic, and the result is normal', 'completed'],
    ['abnormal_result',       'A result outside its range',                               { to: 'completed', interpretation: 'abnormal' }],
    ['critical_result',       'A critical result that needs immediate attention',         { to: 'completed', interpretation: 'critical' }],
    ['partial_then_complete', 'Results come in two parts, then all of them',              'partial_results', 'partial_results', 'completed'],
    ['missing_results',       'The specimen was enough for some results only',            { to: 'completed', missing: true }],
    ['corrected_result',      'The laboratory takes back a normal result',                'completed', { to: 'corrected', interpretation: 'abnormal' }],
    ['hemolyzed_sample',      'Red cells burst: the sample cannot be measured',           { to: 'sample_error', detail: 'sample_hemolyzed' }],
    ['insufficient_sample',   'Too little was drawn',                                     { to: 'sample_error', detail: 'sample_quantity_not_sufficient' }],
    ['cancelled_by_patient',  'The patient leaves before the result',                     'draw_completed', 'cancelled'],
  ],
};

export const SCENARIOS: readonly SimulationScenario[] = MODALITIES.flatMap((modality) =>
  SCENARIO_ROWS[modality].map(([name, title, ...stops]) => ({
    name,
    title,
    modality,
    stops: stops.map((stop) => (typeof stop === 'string' ? { to: stop } : stop)),
  })),
);

/** All scenario names. Modalities can share a name. */
export const SCENARIO_NAMES: readonly string[] = [...new Set(SCENARIOS.map(({ name }) => name))];

export const findScenario = (modality: OrderModality, name: string): SimulationScenario | undefined =>
  SCENARIOS.find((scenario) => scenario.modality === modality && scenario.name === name);
