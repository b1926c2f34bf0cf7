/** What one look at one part of the set-up found. */
export interface Finding {
  /** The part, such as `settings` or the name of a system. */
  area: string
  /** `fail`: pawl cannot do its work like this; `warn`: it can, though hardly as meant. */
  level: 'ok' | 'warn' | 'fail'
  /** One sentence, without values of settings. */
  says: string
  /** What to do about it; null where nothing is to be done. */
  todo: string | null
}

/** Something that is as it should be. */
export const ok = (area: string, says: string): Finding => ({ area, level: 'ok', says, todo: null })

/** Something to look at. */
export const warn = (area: string, says: string, todo: string): Finding => ({ area, level: 'warn', says, todo })

/** Something to mend. */
export const fail = (area: string, says: string, todo: string): Finding => ({ area, level: 'fail', says, todo })
