/** The result of one check of one part of the set-up. */
export interface Finding {
  /** The part, such as `settings` or the name of a system. */
  area: string
  /** `fail`: pawl cannot work like this; `warn`: it can, but probably not as intended. */
  level: 'ok' | 'warn' | 'fail'
  /** One sentence, without values of settings. */
  says: string
  /** Remedy; null if none is needed. */
  todo: string | null
}

export const ok = (area: string, says: string): Finding => ({ area, level: 'ok', says, todo: null })

export const warn = (area: string, says: string, todo: string): Finding => ({ area, level: 'warn', says, todo })

export const fail = (area: string, says: string, todo: string): Finding => ({ area, level: 'fail', says, todo })
