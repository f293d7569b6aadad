/** Refusals that are right for a service without accounts of its own, or for an operation that the interface lacks. */
const REFUSALS: readonly { readonly operation: RegExp; readonly reason: RegExp; readonly why: string }[] = [
  {
    operation: /^(GET \/v2\/link\/provider\/oauth\/|POST \/v2\/link\/start$)/,
    reason: /WEARABLE_PROVIDERS/,
    why: 'needs an application of the provider (WEARABLE_PROVIDERS)',
  },
  {
    operation: /^GET \/v3\/order\/\{order_id\}\/abn_pdf$/,
    reason: /does not need one/,
    why: 'the order needs no advance beneficiary notice',
  },
  {
    operation: /^POST \/lab_report\/v1\/parser\/job$/,
    reason: /with a boundary/,
    why: 'the SDK names no boundary of its multipart body',
  },
  {
    operation: /^\w+ \/v3\/(unmatched_result_test\b|compendium\/search_orderable_tests$)/,
    reason: /No such route/,
    why: 'newer than the interface',
  },
];

/** Why a call is rightly refused; undefined where it should have succeeded. */
export const refusalOf = (operation: string, reason: string): string | undefined =>
  REFUSALS.find((each) => each.operation.test(operation) && each.reason.test(reason))?.why;
