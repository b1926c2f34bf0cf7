import type { Receipt, SystemsByName } from '@pawl/connector/system'

/** Makes a function that returns the system's http(s) link to a written resource, if it has one. */
export function createLinkTo(systems: SystemsByName): (write: Receipt & { system: string }) => string | undefined {
  return ({ system, ...receipt }) => {
    const link = systems[system]?.link?.(receipt)
    return link !== undefined && /^https?:/.test(link) && URL.canParse(link) ? link : undefined
  }
}
