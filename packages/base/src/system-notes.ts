/** A connector's note of an earlier write, to find it again: ids and a digest, never content. */
export interface Remembered {
  id: string
  /** The system's own version of the record, if the system has versions. */
  version?: string | undefined
  /** Tells whether the next write would differ from the last one. */
  digest?: string | undefined
}

/** A notice for one reader of the feed. */
export interface FeedNotice {
  id: string
  /** NCPDP id of the pharmacy that may read it. */
  reader: string
  /** JSON, passed on unchanged. */
  text: string
}

/** As the type of a left-out write, stands for every type: the system takes no writes at all. */
export const everyType = '*'

/** Begins the type of a left-out file, which people must look for elsewhere; its kind follows, and after another slash what tells it from others. */
export const leftOutFiles = 'file/'

/**
 * How a record stands beside the connector's memory. `missing`: it is gone. `changed`: others changed the connector's own part. `elsewhere`: others changed the rest, or withdrew it, which is theirs to do.
 * `unreadable`: the system does not show it. `twice`: a second live record of the same thing. `orphaned`: a live record of the connector's that its memory does not know.
 */
export const standings = ['same', 'elsewhere', 'missing', 'changed', 'twice', 'orphaned', 'unreadable'] as const
export type Standing = (typeof standings)[number]

/** Whether a standing is a disorder, which mending may end. */
export function isDisorder(is: Standing): boolean {
  return is !== 'same' && is !== 'elsewhere'
}

/** What mending did to a record. `written anew`: the next run writes it. `remembered`: it is known again. `left`: the system does not let pawl change it. */
export const mendings = [
  'written anew',
  'remembered',
  'entered in error',
  'cancelled',
  'deleted',
  'gone already',
  'left',
] as const
export type Mending = (typeof mendings)[number]
