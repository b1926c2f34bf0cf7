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
