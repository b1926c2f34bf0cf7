/** The counted figures. `slowest_ms`, `due`, `waiting` and `parked` keep their highest value; all others are sums. */
export type TallyName =
  | 'delivered'
  | 'refused'
  | 'succeeded'
  | 'failed'
  | 'given_up'
  | 'synced'
  | 'sync_ms'
  | 'slowest_ms'
  | 'due'
  | 'waiting'
  | 'parked'

/** The value of one name in one minute or hour, which `at` begins. */
export interface Tally {
  at: number
  name: TallyName
  value: number
}
