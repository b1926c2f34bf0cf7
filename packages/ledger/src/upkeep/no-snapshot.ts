/** Columns of a resource whose snapshot, with everything read from it, is gone. */
export const noSnapshot = {
  snapshot_event_id: null,
  own_changes: null,
  waits_for: null,
  person_since: null,
} as const
