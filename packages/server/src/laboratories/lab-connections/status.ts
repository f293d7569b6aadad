/**
 * The status of a message. Inbound: `stored` until its reports are processed (`taken`), or `dead` until a retry.
 * Outbound: `queued` until the laboratory has `accepted` or `refused` it.
 */
export const LAB_MESSAGE_STATUSES = ['stored', 'taken', 'dead', 'queued', 'accepted', 'refused'] as const;
export type LabMessageStatus = (typeof LAB_MESSAGE_STATUSES)[number];
