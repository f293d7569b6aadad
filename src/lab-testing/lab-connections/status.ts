/**
 * Where a message stands. In: stored until its reports are taken; dead where that cannot be, until somebody has it
 * tried again. Out: queued until the laboratory has answered.
 */
export const MESSAGE_STATUSES = ['stored', 'taken', 'dead', 'queued', 'accepted', 'refused'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
