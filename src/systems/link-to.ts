import type { Receipt, SystemsByName } from './system.ts'

/** Where a person can look at what a write left in its system, as that system says; absent where it says nothing that could be followed. */
export function createLinkTo(systems: SystemsByName): (write: Receipt & { system: string }) => string | undefined {
  return ({ system, ...receipt }) => {
    const link = systems[system]?.link?.(receipt)
    return link !== undefined && /^https?:/.test(link) && URL.canParse(link) ? link : undefined
  }
}
